import { hash, randomUUID } from "node:crypto";
import path from "node:path";
import type { BlobKey, BlobRef, BlobStore } from "@workrail/core";
import { attempt, type Files, syncFolder, writeDurably } from "./durable-file.ts";

/** Keeps one file per blob. Its name is a digest, because file systems differ in case sensitivity and in reserved names. */
export function folderBlobStore(files: Files, folder: string): BlobStore {
  const pathOf = (name: string): string => path.join(folder, name);
  const refOf = (key: BlobKey): BlobRef => `${hash("sha256", `${key.sessionId}/${key.checkpointId}`)}.blob` as BlobRef;
  async function* found<T>(pattern: RegExp, make: (name: string, sizeBytes: number) => T): AsyncGenerator<T> {
    for (const name of (await attempt(() => files.readdir(folder))) ?? []) {
      const stats = pattern.test(name) ? await attempt(() => files.stat(pathOf(name)), "ENOENT") : undefined;
      if (stats !== undefined) yield make(name, stats.size);
    }
  }
  const remove = async (names: readonly string[]): Promise<void> => {
    for (const name of names) await attempt(() => files.rm(pathOf(name), { force: true }));
    await attempt(() => syncFolder(files, folder));
  };
  return {
    refOf,
    async put(key, bytes, { ifAbsent = false } = {}) {
      const ref = refOf(key);
      try {
        return await attempt(
          () => writeDurably(files, pathOf(ref), { bytes, mode: ifAbsent ? "new" : "replace" }).then(() => ref),
          "EEXIST",
        );
      } catch (error) {
        // The name may exist without being durable: it must not be taken for a durable blob.
        if (!ifAbsent) await files.rm(pathOf(ref), { force: true }).catch(() => undefined);
        throw error;
      }
    },
    replace: (ref, bytes) => attempt(() => writeDurably(files, pathOf(ref), { bytes, mode: "replace" })),
    get: (ref) => attempt(() => files.readFile(pathOf(ref)), "ENOENT"),
    remove,
    async erase(refs) {
      const copies: string[] = [];
      for (const ref of refs) {
        for await (const copy of found(new RegExp(`^${ref}`), (name, sizeBytes) => ({ name, zeros: Buffer.alloc(sizeBytes) }))) {
          // A disk keeps the bytes of a removed file.
          await attempt(() => files.writeFile(pathOf(copy.name), copy.zeros, { flag: "r+", flush: true }));
          copies.push(copy.name);
        }
      }
      await remove(copies);
    },
    quarantine(ref) {
      const aside = pathOf(`${ref}.${randomUUID()}.aside`);
      return attempt(() => files.rename(pathOf(ref), aside).then(() => syncFolder(files, folder).then(() => aside)), "ENOENT");
    },
    listQuarantine: () => found(/\.aside$/, (name, sizeBytes) => ({ place: pathOf(name), sizeBytes })),
    list: () => found(/\.blob$/, (name, sizeBytes) => ({ ref: name as BlobRef, sizeBytes })),
    removeAbandoned: async () => 0,
  };
}
