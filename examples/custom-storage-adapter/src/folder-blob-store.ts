import { createHash } from "node:crypto";
import path from "node:path";
import type { BlobInfo, BlobKey, BlobRef, BlobStore, QuarantinedBlob } from "@workrail/core";
import { type Files, hasCode, ifThere, overwrite, syncFolder, translated, writeDurably } from "./durable-file.ts";

/**
 * A blob store with one file per blob. The file name is a digest, because file systems differ in case sensitivity, in the length of names
 * and in reserved names.
 */
export class FolderBlobStore implements BlobStore {
  readonly #files: Files;
  readonly #folder: string;
  #puts = 0;

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  refOf({ sessionId, checkpointId }: BlobKey): BlobRef {
    return `${createHash("sha256").update(`${sessionId}/${checkpointId}`).digest("hex")}.blob` as BlobRef;
  }

  async put(key: BlobKey, bytes: Uint8Array, options?: { readonly ifAbsent?: boolean }): Promise<BlobRef | undefined> {
    const ref = this.refOf(key);
    this.#puts += 1;
    try {
      await writeDurably(this.#files, this.#pathOf(ref), bytes, options?.ifAbsent === true ? "new" : "replace");
      return ref;
    } catch (error) {
      if (hasCode(error, "EEXIST")) return undefined;
      // The name may exist without being durable. The file is removed, for it must not be taken for a durable blob.
      await this.#files.rm(this.#pathOf(ref), { force: true }).catch(() => undefined);
      return await translated(Promise.reject(error));
    } finally {
      this.#puts -= 1;
    }
  }

  async replace(ref: BlobRef, bytes: Uint8Array): Promise<void> {
    await translated(writeDurably(this.#files, this.#pathOf(ref), bytes, "replace"));
  }

  get(ref: BlobRef): Promise<Uint8Array | undefined> {
    return translated(ifThere(this.#files.readFile(this.#pathOf(ref))));
  }

  /** Tells whether the blob exists. The catalog asks this before it commits. */
  async has(ref: BlobRef): Promise<boolean> {
    return (await translated(ifThere(this.#files.stat(this.#pathOf(ref))))) !== undefined;
  }

  async remove(ref: BlobRef): Promise<void> {
    await translated(this.#files.rm(this.#pathOf(ref), { force: true }));
    await translated(syncFolder(this.#files, this.#folder));
  }

  /** Overwrites the files before it removes them, because a disk keeps the bytes of a removed file. */
  async erase(ref: BlobRef): Promise<void> {
    const names = (await translated(this.#files.readdir(this.#folder))).filter((name) => name === ref || name.startsWith(`${ref}.`));
    for (const name of names) await translated(overwrite(this.#files, this.#pathOf(name)));
    for (const name of names) await translated(this.#files.rm(this.#pathOf(name), { force: true }));
    await translated(syncFolder(this.#files, this.#folder));
  }

  /**
   * Renames the blob to a name with another ending, which `list` and `get` ignore. The call runs under the catalog's lock, so no other
   * caller takes the same name.
   */
  async quarantine(ref: BlobRef): Promise<string | undefined> {
    for (let number = 1; await this.has(ref); number++) {
      const aside = this.#pathOf(`${ref}.quarantine-${number}`);
      if ((await translated(ifThere(this.#files.stat(aside)))) !== undefined) continue;
      await translated(this.#files.rename(this.#pathOf(ref), aside));
      await translated(syncFolder(this.#files, this.#folder));
      return aside;
    }
    return undefined;
  }

  async *listQuarantine(): AsyncGenerator<QuarantinedBlob> {
    const names = (await translated(this.#files.readdir(this.#folder))).filter((name) => /\.quarantine-\d+$/.test(name));
    for (const name of names) {
      const stats = await translated(ifThere(this.#files.stat(this.#pathOf(name))));
      if (stats !== undefined) yield { place: this.#pathOf(name), sizeBytes: stats.size };
    }
  }

  async *list(): AsyncGenerator<BlobInfo> {
    for (const ref of (await this.#names(".blob")) as BlobRef[]) {
      const stats = await translated(ifThere(this.#files.stat(this.#pathOf(ref))));
      if (stats !== undefined) yield { ref, sizeBytes: stats.size };
    }
  }

  /**
   * Removes temporary files. The store has one opener, so while this process writes none, every temporary file was left by a dead process.
   */
  async removeAbandoned(): Promise<number> {
    const names = await this.#names(".tmp");
    if (this.#puts > 0) return 0;
    for (const name of names) await translated(this.#files.rm(this.#pathOf(name), { force: true }));
    return names.length;
  }

  async #names(ending: string): Promise<string[]> {
    return (await translated(this.#files.readdir(this.#folder))).filter((name) => name.endsWith(ending));
  }

  #pathOf(name: string): string {
    return path.join(this.#folder, name);
  }
}
