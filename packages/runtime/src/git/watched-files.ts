import fs from "node:fs";
import path from "node:path";
import { isWithin, readGivenFile, signatureFrom, signatureOf } from "@workrail/blob-files";

/** Files that are read here are small; whatever is larger is something else. */
const MAX_BYTES = 64 * 1024;
/** A configuration is parsed line by line, which a very long one would make others wait for. */
export const MAX_CONFIG_BYTES: number = 1024 * 1024;
/** A packed list of refs may be long. */
export const MAX_LIST_BYTES: number = 32 * 1024 * 1024;

/** Reads files and remembers what they were, so that one can tell without reading whether any has changed, come or gone. */
export class WatchedFiles {
  readonly #seen = new Map<string, string | undefined>();
  #hasTrap = false;

  /** A pipe, a device or the like stood where a file should be: git would wait for it. */
  get hasTrap(): boolean {
    return this.#hasTrap;
  }

  /**
   * The text of a regular file of a sensible size; `undefined` for anything else, and for what cannot be read.
   *
   * @param folder no link may lead out of it.
   */
  async read(folder: string, file: string, maxBytes: number = MAX_BYTES): Promise<string | undefined> {
    await this.#look(file);
    const read = await readGivenFile(folder, file, { maxBytes });
    if ("bytes" in read) return read.bytes.toString("utf8");
    if (read.refused === "not-a-file" || read.refused === "too-slow") this.#hasTrap = true;
    return undefined;
  }

  /**
   * The real path of a directory; `undefined` for anything else.
   *
   * @param folder no link may lead out of it. Default: anywhere.
   */
  async directory(directory: string, folder?: string): Promise<string | undefined> {
    await this.#look(directory);
    try {
      const real = await fs.promises.realpath(directory);
      if (folder !== undefined && !isWithin(await fs.promises.realpath(folder), real)) return undefined;
      return (await fs.promises.lstat(real)).isDirectory() ? real : undefined;
    } catch {
      // A directory that cannot be looked at is as good as not there.
      return undefined;
    }
  }

  /** Whether all is as it was. Looks at once, which takes microseconds: each file handed to another thread would take a save longer. */
  areSame(): boolean {
    return [...this.#seen].every(([file, was]) => was !== CHANGING && signatureOf(file) === was);
  }

  /** Git replaces its files rather than writing into them: a new one has another number. */
  async #look(file: string): Promise<void> {
    const found = await fs.promises.lstat(file).catch(() => undefined);
    // Where a link leads is not looked at in place: it could take for ever.
    this.#seen.set(path.normalize(file), found?.isSymbolicLink() === true ? CHANGING : signatureFrom(found));
  }
}

/** Of what is never taken for the same. */
const CHANGING = "changing";
