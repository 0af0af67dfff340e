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
  /** A module, compiled by Node's cache, or a script of `runLight`. */
  readonly loaded: string;
  readonly args: readonly string[];
}

/** A copy of a bundle with forged compiled code: Node accepts it for one of the files, but it does something else. */
export class ForgedCache {
  readonly #command: readonly string[];
  readonly #forged: string;
  readonly #loaded: string;

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
    this.#loaded = path.join(copy, program.loaded);
    if (isScript(program)) this.#forgeScript(folder);
    else this.#forgeModule();
  }

  #forgeModule(): void {
    const source = readFileSync(this.#loaded, "utf8");
    const honest = `${source}\n//${"x".repeat(PADDING)}`;
    const forged = `${PAYLOAD}${source}\n//${"x".repeat(PADDING - PAYLOAD.length)}`;
    writeFileSync(this.#loaded, forged);
    this.run({ NODE_COMPILE_CACHE: this.#forged });
    writeFileSync(this.#loaded, honest);
    // Node compares checksum and length of the source, V8 only the length.
    for (const file of filesIn(this.#forged)) replaceNumber(file, crc32(forged), crc32(honest));
  }

  /** Stores the forged script's code under the name of the honest script's cache: the name depends on the script's date. */
  #forgeScript(folder: string): void {
    const source = readFileSync(this.#loaded, "utf8");
    const cacheOf = (name: string, script: string): string => {
      writeFileSync(this.#loaded, script);
      const place = path.join(folder, name);
      this.run({ HOME: place, XDG_CACHE_HOME: place, WORKRAIL_DATA_DIR: path.join(place, "data") });
      const prefix = `${path.basename(this.#loaded, ".cjs")}.`;
      return filesIn(path.join(place, folderOf({ loaded: this.#loaded }))).find((file) => path.basename(file).startsWith(prefix)) ?? "";
    };
    const body = source.indexOf(";") + 1;
    const forged = `${source.slice(0, body)}${PAYLOAD}${source.slice(body)}\n//${"x".repeat(PADDING - PAYLOAD.length)}`;
    const planted = readFileSync(cacheOf("forging", forged));
    const honest = cacheOf("honest", `${source}\n//${"x".repeat(PADDING)}`);
    mkdirSync(this.#forged);
    writeFileSync(path.join(this.#forged, path.basename(honest)), planted);
  }

  /** Copies the forged code into a cache directory, readable by everybody. */
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

function isScript({ loaded }: Pick<ForgedProgram, "loaded">): boolean {
  return loaded.endsWith(".cjs");
}

/** The folder with the compiled code of a program, relative to the user's cache directory. */
export function folderOf(program: Pick<ForgedProgram, "loaded">): string {
  return path.join("workrail", isScript(program) ? "light" : "compiled");
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
