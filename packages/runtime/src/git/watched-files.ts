import path from "node:path";
import { calledBackFiles, isWithin, readGivenFile, signatureFrom, signatureOf } from "@workrail/blob-files";

/** Git's small files; anything larger is some other file. */
const MAX_BYTES = 64 * 1024;
/** Parsed line by line, so a very long configuration would block other work. */
export const MAX_CONFIG_BYTES: number = 1024 * 1024;
/** A packed list of refs may be long. */
export const MAX_LIST_BYTES: number = 32 * 1024 * 1024;

/** Reads files and remembers their signatures, to tell without reading whether any was changed, created or removed. */
export class WatchedFiles {
  readonly #seen = new Map<string, string | undefined>();
  #hasTrap = false;

  /** True when a pipe, a device or the like stood in place of a file: git would block on it. */
  get hasTrap(): boolean {
    return this.#hasTrap;
  }

  /**
   * Reads the text of a regular file within the size limit. `undefined` for anything else, or an unreadable file.
   *
   * @param folder links must not lead out of this folder.
   */
  async read(folder: string, file: string, maxBytes: number = MAX_BYTES): Promise<string | undefined> {
    await this.#look(file);
    const read = await readGivenFile(folder, file, { maxBytes });
    if ("bytes" in read) return read.bytes.toString("utf8");
    if (read.refused === "not-a-file" || read.refused === "too-slow") this.#hasTrap = true;
    return undefined;
  }

  /**
   * Returns the real path of a directory; `undefined` for anything else.
   *
   * @param folder links must not lead out of this folder. Default: anywhere.
   */
  async directory(directory: string, folder?: string): Promise<string | undefined> {
    await this.#look(directory);
    try {
      const { realpath, lstat } = calledBackFiles;
      const real = await realpath(directory);
      if (folder !== undefined && !isWithin(await realpath(folder), real)) return undefined;
      return (await lstat(real)).isDirectory() ? real : undefined;
    } catch {
      // An unreadable directory counts as missing.
      return undefined;
    }
  }

  /** Tells whether all files are unchanged. Synchronous: it takes microseconds, less than a thread pool round trip per file. */
  areSame(): boolean {
    return [...this.#seen].every(([file, was]) => was !== CHANGING && signatureOf(file) === was);
  }

  /** Remembers the signature of a file. Git replaces files instead of writing into them, so a change gives a new inode. */
  async #look(file: string): Promise<void> {
    const found = await calledBackFiles.lstat(file).catch(() => undefined);
    // The target of a link is not checked here: that could block forever.
    this.#seen.set(path.normalize(file), found?.isSymbolicLink() === true ? CHANGING : signatureFrom(found));
  }
}

/** Signature that never equals another. */
const CHANGING = "changing";
