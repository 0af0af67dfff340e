import path from "node:path";
import {
  type BlobInfo,
  type BlobKey,
  type BlobRef,
  type BlobStore,
  isFaultOfOneFile,
  type QuarantinedBlob,
  type UnreadablePlace,
  WorkrailError,
} from "@workrail/core";
import { namedOutside } from "./catalog-errors.ts";
import { isAbandoned, moveAside, overwriteAndRemove, removeIfPresent, type WriteMode, writeDurably } from "./durable-files.ts";
import { hasCode } from "./error-codes.ts";
import type { FileSystem } from "./file-system.ts";
import { isOwnDirectory } from "./own-directory.ts";
import { BLOB_SUFFIX, blobPath, blobRefOf, CONTEXTS, FACTS_COPY, QUARANTINE, quarantineDirectory } from "./paths.ts";
import { fileError } from "./file-errors.ts";

/** Number that `moveAside` appends to the name of a quarantined file. */
const NUMBERED = /\.[1-9][0-9]*$/;
/** Files that are overwritten or unlinked at the same time. */
const AT_ONCE = 16;

/** Blobs as files: one for each checkpoint, in a directory for each session, under `contexts/`. */
export class FileBlobStore implements BlobStore {
  readonly #dataDir: string;
  readonly #fs: FileSystem;
  /** Directories that were checked to be our own and are durable. */
  readonly #known = new Set<string>();

  constructor(dataDir: string, fs: FileSystem) {
    this.#dataDir = dataDir;
    this.#fs = fs;
  }

  refOf(key: BlobKey): BlobRef {
    return blobRefOf(key);
  }

  async put(key: BlobKey, bytes: Uint8Array, options: { readonly ifAbsent?: boolean } = {}): Promise<BlobRef | undefined> {
    const ref = blobRefOf(key);
    const file = this.#pathOf(ref);
    try {
      await this.ensureDirectory(path.dirname(file));
      const isWritten = await this.#write(file, bytes, options.ifAbsent === true ? "if-absent" : "new");
      return isWritten ? ref : undefined;
    } catch (error) {
      throw fileError(error, file);
    }
  }

  async replace(ref: BlobRef, bytes: Uint8Array): Promise<void> {
    const file = this.#pathOf(ref);
    try {
      await this.ensureDirectory(path.dirname(file));
      await writeDurably(this.#fs, file, { bytes, mode: "replace" });
    } catch (error) {
      throw fileError(error, file);
    }
  }

  async get(ref: BlobRef): Promise<Uint8Array | undefined> {
    const file = this.#pathOf(ref);
    try {
      this.#refuseLinkedDirectory(path.dirname(file));
      return await this.#fs.read(file);
    } catch (error) {
      throw fileError(error, file);
    }
  }

  async remove(refs: readonly BlobRef[]): Promise<void> {
    await this.#eachDirectory(refs, async (directory, names) => {
      await severalAtOnce([...names], async (name) => this.#fs.unlinkSoon(path.join(directory, name)).catch(unlessMissing));
      if (this.#fs.inspect(directory) !== undefined) await this.#fs.syncDirectory(directory);
    });
  }

  async erase(refs: readonly BlobRef[]): Promise<void> {
    const now = new Date();
    await this.#eachDirectory(refs, async (directory, names) => {
      // Also erases files of an interrupted put, which nothing refers to, and damaged copies of the facts, which may name pinned keys.
      await this.#eraseIn(
        directory,
        (name) => names.has(name) || FACTS_COPY.test(name) || isAbandoned(this.#fs, path.join(directory, name), now),
      );
      await this.#eraseIn(quarantineDirectory(this.#dataDir, path.basename(directory)), (name) => names.has(withoutNumber(name)));
    });
  }

  /** Works on blobs directory by directory. */
  async #eachDirectory(refs: readonly BlobRef[], work: (directory: string, names: ReadonlySet<string>) => Promise<void>): Promise<void> {
    const byDirectory = new Map<string, Set<string>>();
    for (const file of refs.map((ref) => this.#pathOf(ref))) {
      const directory = path.dirname(file);
      byDirectory.set(directory, (byDirectory.get(directory) ?? new Set()).add(path.basename(file)));
    }
    for (const [directory, names] of byDirectory) {
      try {
        this.#refuseLinkedDirectory(directory);
        await work(directory, names);
      } catch (error) {
        throw fileError(error, names.size === 1 ? path.join(directory, [...names].join("")) : directory);
      }
    }
  }

  async quarantine(ref: BlobRef): Promise<string | undefined> {
    const file = this.#pathOf(ref);
    const aside = this.#asideOf(ref);
    try {
      this.#refuseLinkedDirectory(path.dirname(file));
      if (this.#fs.inspect(file) === undefined) return undefined;
      // The quarantine may have been emptied meanwhile.
      for (const known of this.#known) if (known.startsWith(path.join(this.#dataDir, QUARANTINE))) this.#known.delete(known);
      await this.ensureDirectory(path.dirname(aside));
      return await moveAside(this.#fs, file, aside);
    } catch (error) {
      throw fileError(error, file);
    }
  }

  async *listQuarantine(): AsyncGenerator<QuarantinedBlob> {
    yield* this.#translated(() => this.#filesBelow(path.join(this.#dataDir, QUARANTINE)));
  }

  /** Tells the catalog, inside its transaction, whether a blob that it is about to record still exists. */
  has(ref: BlobRef): boolean {
    const file = this.#pathOf(ref);
    this.#refuseLinkedDirectory(path.dirname(file));
    return this.#fs.inspect(file)?.kind === "file";
  }

  async *list(onUnreadable?: (place: UnreadablePlace) => void): AsyncIterable<BlobInfo> {
    for (const directory of this.#translated(() => this.#sessionDirectories())) {
      try {
        yield* this.#translated(() => this.#blobsIn(directory, onUnreadable), directory);
      } catch (error) {
        if (onUnreadable === undefined || !isFaultOfOneFile(error)) throw error;
        onUnreadable({ ref: `${CONTEXTS}/${directory}` as BlobRef, error });
      }
    }
  }

  async removeAbandoned(): Promise<number> {
    const now = new Date();
    return this.#translated(() => {
      let removed = 0;
      for (const directory of this.#sessionDirectories()) {
        const full = path.join(this.#dataDir, CONTEXTS, directory);
        for (const name of this.#fs.list(full).filter((each) => isAbandoned(this.#fs, path.join(full, each), now))) {
          removeIfPresent(this.#fs, path.join(full, name));
          removed += 1;
        }
      }
      return removed;
    });
  }

  /** Tells whether there are no blobs at all. */
  async isEmpty(): Promise<boolean> {
    for await (const _ of this.list()) return false;
    return true;
  }

  /**
   * Creates the directory of all sessions unless it exists. It becomes durable with the first blob, so that readers do not wait for the
   * disk.
   */
  prepare(): void {
    this.#makeDirectory(path.join(this.#dataDir, CONTEXTS));
  }

  /** Creates a session's directory durably unless it exists; refuses a link in its place. */
  async ensureDirectory(directory: string): Promise<void> {
    if (this.#known.has(directory)) return;
    const parent = path.dirname(directory);
    if (parent !== this.#dataDir) await this.ensureDirectory(parent);
    this.#makeDirectory(directory);
    await this.#fs.syncDirectory(parent);
    this.#known.add(directory);
  }

  #makeDirectory(directory: string): void {
    this.#fs.makeDirectory(directory);
    this.#refuseLinkedDirectory(directory);
  }

  async #write(file: string, bytes: Uint8Array, mode: WriteMode): Promise<boolean> {
    try {
      return await writeDurably(this.#fs, file, { bytes, mode });
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
      // The directory was removed meanwhile.
      this.#known.clear();
      await this.ensureDirectory(path.dirname(file));
      return writeDurably(this.#fs, file, { bytes, mode });
    }
  }

  #asideOf(ref: BlobRef): string {
    return path.join(this.#dataDir, QUARANTINE, ...ref.split("/"));
  }

  async #eraseIn(directory: string, isToBeErased: (name: string) => boolean): Promise<void> {
    if (!isOwnDirectory(this.#fs, this.#dataDir, directory)) return;
    const names = this.#fs.list(directory).filter(isToBeErased);
    await severalAtOnce(names, (name) => overwriteAndRemove(this.#fs, path.join(directory, name)));
    await this.#fs.syncDirectory(directory);
  }

  #blobsIn(directory: string, onUnreadable?: (place: UnreadablePlace) => void): readonly BlobInfo[] {
    const blobs: BlobInfo[] = [];
    for (const name of this.#fs.list(path.join(this.#dataDir, CONTEXTS, directory))) {
      if (!name.endsWith(BLOB_SUFFIX)) continue;
      const ref = `${CONTEXTS}/${directory}/${name}` as BlobRef;
      const file = blobPath(this.#dataDir, ref);
      const found = file === undefined ? undefined : this.#fs.inspect(file);
      if (found?.kind === "file") blobs.push({ ref, sizeBytes: found.sizeBytes });
      else if (file !== undefined && found !== undefined) onUnreadable?.({ ref, error: noFile(file) });
    }
    return blobs;
  }

  /** Lists files of any name, since people put files there too. Links are not followed. */
  #filesBelow(directory: string): readonly QuarantinedBlob[] {
    return this.#fs.list(directory).flatMap((name) => {
      const place = path.join(directory, name);
      const found = this.#fs.inspect(place);
      if (found?.kind === "directory") return this.#filesBelow(place);
      return found?.kind === "file" ? [{ place, sizeBytes: found.sizeBytes }] : [];
    });
  }

  #translated<T>(work: () => T, directory = ""): T {
    try {
      return work();
    } catch (error) {
      throw fileError(error, path.join(this.#dataDir, CONTEXTS, directory));
    }
  }

  #sessionDirectories(): readonly string[] {
    const contexts = path.join(this.#dataDir, CONTEXTS);
    return this.#fs.list(contexts).filter((name) => this.#fs.inspect(path.join(contexts, name))?.kind === "directory");
  }

  #refuseLinkedDirectory(directory: string): void {
    if (this.#known.has(directory)) return;
    const kind = this.#fs.inspect(directory)?.kind;
    if (kind === undefined || kind === "directory") return;
    throw new WorkrailError("STORAGE_UNAVAILABLE", "A directory of the store is a symbolic link or a file.", {
      details: { reason: "symbolic-link", path: directory },
      hint: "Move it away; links are not followed inside the data directory.",
    });
  }

  #pathOf(ref: BlobRef): string {
    const file = blobPath(this.#dataDir, ref);
    if (file === undefined) throw namedOutside();
    return file;
  }
}

/** Works on some names at a time: disks handle several files in the time of one. An error leaves no other work under way. */
async function severalAtOnce(names: readonly string[], work: (name: string) => Promise<unknown>): Promise<void> {
  for (let first = 0; first < names.length; first += AT_ONCE) {
    const works = names.slice(first, first + AT_ONCE).map(work);
    const failure = (await Promise.allSettled(works)).find(({ status }) => status === "rejected");
    if (failure?.status === "rejected") throw failure.reason;
  }
}

function unlessMissing(error: unknown): void {
  if (!hasCode(error, "ENOENT")) throw error;
}

/** Returns the name that a quarantined file had as a blob. */
function withoutNumber(name: string): string {
  return name.endsWith(BLOB_SUFFIX) ? name : name.replace(NUMBERED, "");
}

function noFile(file: string): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "A directory or a link stands where a checkpoint's file should be.", {
    details: { reason: "wrong-kind-of-file", path: file },
    hint: "Move it away, and put the file back.",
  });
}
