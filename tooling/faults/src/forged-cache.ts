import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { crc32 } from "node:zlib";

/** Ends the process: the offsets of functions that are compiled later would be wrong. */
const PAYLOAD = 'process.stderr.write("PLANTED");process.exit(0);';
const PADDING = 200;

export interface ForgedProgram {
  readonly launcher: string;
  readonly loaded: string;
  readonly args: readonly string[];
}

/** A copy of a bundle, with compiled code that Node accepts for one of its files and that does something else. */
export class ForgedCache {
  readonly #command: readonly string[];
  readonly #forged: string;

  /**
   * @param dist the bundle.
   * @param program its launcher, the file that the launcher loads, and arguments with which the program ends by itself.
   * @param folder folder for the copy and the code.
   */
  constructor(dist: string, program: ForgedProgram, folder: string) {
    const copy = path.join(folder, "copy", "dist");
    cpSync(dist, copy, { recursive: true });
    writeFileSync(path.join(copy, "..", "package.json"), '{"type":"module","version":"1.2.3"}');
    this.#command = [path.join(copy, program.launcher), ...program.args];
    this.#forged = path.join(folder, "forged");
    const loaded = path.join(copy, program.loaded);
    const source = readFileSync(loaded, "utf8");
    const honest = `${source}\n//${"x".repeat(PADDING)}`;
    const forged = `${PAYLOAD}${source}\n//${"x".repeat(PADDING - PAYLOAD.length)}`;
    writeFileSync(loaded, forged);
    this.run({ NODE_COMPILE_CACHE: this.#forged });
    writeFileSync(loaded, honest);
    // Node compares checksum and length of the source, V8 only the length.
    for (const file of filesIn(this.#forged)) replaceNumber(file, crc32(forged), crc32(honest));
  }

  /** Puts the compiled code where Node looks for it in a directory, readable by everybody. */
  plant(directory: string): void {
    mkdirSync(directory, { recursive: true });
    cpSync(this.#forged, directory, { recursive: true });
    if (process.platform !== "win32")
      execFileSync("chmod", ["-R", "a+rX", ...readdirSync(directory).map((name) => path.join(directory, name))]);
  }

  /** Runs the program. @returns whether the planted code ran. */
  run(env: Readonly<Record<string, string>>): boolean {
    const clean = Object.entries(process.env).filter(([name]) => !/^(?:NODE_COMPILE_CACHE|NODE_DISABLE_COMPILE_CACHE|XDG_.*)$/u.test(name));
    const { status, stderr } = spawnSync(process.execPath, this.#command, {
      input: "",
      encoding: "utf8",
      env: { ...Object.fromEntries(clean), ...env },
    });
    if (status !== 0) throw new Error(`The program ended with ${status}: ${stderr}`);
    return stderr.includes("PLANTED");
  }
}

function filesIn(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

function replaceNumber(file: string, from: number, to: number): void {
  const bytes = readFileSync(file);
  const before = Buffer.alloc(4);
  before.writeUInt32LE(from);
  const at = bytes.subarray(0, 64).indexOf(before);
  if (at < 0) return;
  bytes.writeUInt32LE(to, at);
  writeFileSync(file, bytes);
}
