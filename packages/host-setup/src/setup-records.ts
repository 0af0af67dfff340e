import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileError, makeDataDirectory, nodeFileSystem, removeIfPresent, SETUP, writeDurably } from "@workrail/blob-files";
import { WorkrailError } from "@workrail/core";
import { type Undo, undo } from "./undo-edits.ts";

/** The digest of a file after our change, and the edits that restore its old text. */
export interface SetupRecord {
  readonly version: 1;
  /** The real path of the file, with links resolved. */
  readonly file: string;
  /** Digest of the file as we left it. */
  readonly digest: string;
  /** `null`: there was no file. */
  readonly undo: readonly Undo[] | null;
  /** Directories that were made for the file, the innermost first. */
  readonly made: readonly string[];
}

/** Keeps records of set-ups in the data directory, to undo them byte for byte. Only the owner can read the records. */
export class SetupRecords {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = path.join(dataDir, SETUP);
  }

  /** `undefined`: we never changed the file, or the change was undone. @throws INVALID_INPUT when the record is damaged. */
  get(file: string): SetupRecord | undefined {
    const name = this.#nameOf(file);
    if (!fs.existsSync(name)) return undefined;
    const record = parseRecord(fs.readFileSync(name, "utf8"));
    if (record?.file === file) return record;
    throw new WorkrailError("INVALID_INPUT", `The record of the set-up of ${file} cannot be read.`, {
      details: { file, record: name },
      hint: `Remove ${name}. Then --remove removes only the entries.`,
    });
  }

  /** Resolves when the record is durable. @throws STORAGE_UNAVAILABLE when it cannot be written. */
  async put(record: SetupRecord): Promise<void> {
    const name = this.#nameOf(record.file);
    try {
      makeDataDirectory(this.#folder);
      await writeDurably(nodeFileSystem, name, { bytes: Buffer.from(`${JSON.stringify(record)}\n`), mode: "replace" });
    } catch (error) {
      throw fileError(error, name);
    }
  }

  delete(file: string): void {
    removeIfPresent(nodeFileSystem, this.#nameOf(file));
  }

  #nameOf(file: string): string {
    return path.join(this.#folder, `${digestOf(file).slice(0, 32)}.json`);
  }
}

/** The text of the file before our first change; `undefined`: there was no file. @param text the file as we left it. */
export function originalOf(record: SetupRecord, text: string): string | undefined {
  return record.undo === null ? undefined : undo(text, record.undo);
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function parseRecord(text: string): SetupRecord | undefined {
  try {
    const { version, file, digest, undo: undos, made } = JSON.parse(text) as Partial<SetupRecord>;
    const isWhole = typeof file === "string" && typeof digest === "string" && (undos === null || Array.isArray(undos));
    return version === 1 && isWhole && Array.isArray(made) ? { version, file, digest, undo: undos, made } : undefined;
  } catch {
    // No JSON: the caller's error names the damaged file.
    return undefined;
  }
}
