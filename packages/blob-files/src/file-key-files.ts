import { existsSync } from "node:fs";
import path from "node:path";
import type { BlobRef, KeyFiles, KeyPlace } from "@workrail/core";
import { namedOutside } from "./catalog-errors.ts";
import { overwriteAndRemove, writeDurably } from "./durable-files.ts";
import { fileError } from "./file-errors.ts";
import type { FileSystem } from "./file-system.ts";
import { isOwnDirectory } from "./own-directory.ts";
import { BLOB_SUFFIX, blobPath, CONTEXTS, FACTS_COPY, KEYRING, quarantineDirectory, SESSION_KEY } from "./paths.ts";

const SECOND = ".copy";
/** Each key is stored twice: without it all data that it seals would be lost. */
const COPIES = ["", SECOND] as const;

/** Tells whether the store in a directory is sealed, or being converted. */
export function hasKeyring(dataDir: string): boolean {
  return COPIES.some((copy) => existsSync(path.join(dataDir, CONTEXTS, KEYRING + copy)));
}

/**
 * Key files: `keyring.json` in `contexts/`, and `session.key` beside a session's blobs, so that a copy of `contexts/` contains everything
 * but the key itself.
 */
export class FileKeyFiles implements KeyFiles {
  readonly #dataDir: string;
  readonly #fs: FileSystem;
  readonly #ensureDirectory: (directory: string) => Promise<void>;

  constructor(dataDir: string, fs: FileSystem, ensureDirectory: (directory: string) => Promise<void>) {
    this.#dataDir = dataDir;
    this.#fs = fs;
    this.#ensureDirectory = ensureDirectory;
  }

  async read(place: KeyPlace, isIntact: (bytes: Uint8Array) => boolean): Promise<Uint8Array | undefined> {
    const file = this.#fileOf(place);
    let damaged: Uint8Array | undefined;
    try {
      for (const copy of COPIES) {
        const bytes = await this.#bytesOf(file + copy);
        if (bytes === undefined) continue;
        if (isIntact(bytes)) return bytes;
        damaged ??= bytes;
      }
      return damaged;
    } catch (error) {
      throw fileError(error, file);
    }
  }

  async write(place: KeyPlace, bytes: Uint8Array, mode: "if-absent" | "replace"): Promise<boolean> {
    const file = this.#fileOf(place);
    try {
      await this.#ensureDirectory(path.dirname(file));
      if (!(await writeDurably(this.#fs, file, { bytes, mode }))) return false;
      await writeDurably(this.#fs, file + SECOND, { bytes, mode: "replace" });
      return true;
    } catch (error) {
      throw fileError(error, file);
    }
  }

  /**
   * Restores the second copy of a key. Destroying a key removes the first copy first: if the first still exists after the second was
   * written, the destroyer will reach the second too.
   */
  async mend(place: KeyPlace, isIntact: (bytes: Uint8Array) => boolean): Promise<void> {
    const file = this.#fileOf(place);
    try {
      for (;;) {
        const [first, second] = [await this.#bytesOf(file), await this.#bytesOf(file + SECOND)];
        if (first === undefined || !isIntact(first) || (second !== undefined && isSame(first, second))) return;
        await writeDurably(this.#fs, file + SECOND, { bytes: first, mode: "replace" });
        if ((await this.#bytesOf(file)) === undefined) await this.#destroy(file);
      }
    } catch (error) {
      throw fileError(error, file);
    }
  }

  async destroy(place: BlobRef): Promise<void> {
    const file = this.#fileOf(place);
    const directory = path.dirname(file);
    try {
      await this.#destroy(file);
      await this.#eraseIn(directory, (name) => name.endsWith(BLOB_SUFFIX) || FACTS_COPY.test(name));
      await this.#eraseIn(quarantineDirectory(this.#dataDir, path.basename(directory)), () => true);
    } catch (error) {
      throw fileError(error, file);
    }
  }

  async *sessions(): AsyncGenerator<BlobRef> {
    const contexts = path.join(this.#dataDir, CONTEXTS);
    try {
      for (const name of this.#fs.list(contexts)) {
        const directory = path.join(contexts, name);
        const ref = `${CONTEXTS}/${name}/any${BLOB_SUFFIX}` as BlobRef;
        if (this.#fs.inspect(directory)?.kind !== "directory" || blobPath(this.#dataDir, ref) === undefined) continue;
        if (COPIES.some((copy) => this.#fs.inspect(path.join(directory, SESSION_KEY + copy))?.kind === "file")) yield ref;
      }
    } catch (error) {
      throw fileError(error, contexts);
    }
  }

  async destroyAll(): Promise<void> {
    const contexts = path.join(this.#dataDir, CONTEXTS);
    try {
      for await (const session of this.sessions()) await this.#destroy(this.#fileOf(session));
      await this.#destroy(this.#fileOf("store"));
    } catch (error) {
      throw fileError(error, contexts);
    }
  }

  /** Returns `undefined` also for a key that is being destroyed. */
  async #bytesOf(file: string): Promise<Uint8Array | undefined> {
    const bytes = this.#fs.inspect(file)?.kind === "file" ? await this.#fs.read(file) : undefined;
    return bytes?.some((byte) => byte !== 0) === true ? bytes : undefined;
  }

  async #destroy(file: string): Promise<void> {
    let isAnyRemoved = false;
    for (const copy of COPIES) isAnyRemoved = (await overwriteAndRemove(this.#fs, file + copy)) || isAnyRemoved;
    if (isAnyRemoved) await this.#fs.syncDirectory(path.dirname(file));
  }

  async #eraseIn(directory: string, isToBeErased: (name: string) => boolean): Promise<void> {
    if (!isOwnDirectory(this.#fs, this.#dataDir, directory)) return;
    const names = this.#fs.list(directory).filter(isToBeErased);
    for (const name of names) await overwriteAndRemove(this.#fs, path.join(directory, name));
    if (names.length > 0) await this.#fs.syncDirectory(directory);
  }

  #fileOf(place: KeyPlace): string {
    if (place === "store") return path.join(this.#dataDir, CONTEXTS, KEYRING);
    const blob = blobPath(this.#dataDir, place);
    if (blob === undefined) throw namedOutside();
    return path.join(path.dirname(blob), SESSION_KEY);
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
