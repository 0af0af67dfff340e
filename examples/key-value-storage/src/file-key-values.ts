import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { runFinally } from "@workrail/core";
import type { KeyValues } from "@workrail/kv-storage";

/** Keeps each value in a file of its own: `folder/name` of the key is its path. Tests pass file operations that fail. */
export function fileKeyValues(root: string, files: typeof fs = fs): KeyValues {
  const at = (key: string) => path.join(root, key);
  const syncFolderOf = async (file: string) => {
    if (process.platform === "win32") return; // Windows can neither fsync a folder, nor needs it.
    const handle = await files.open(path.dirname(file));
    await runFinally(handle.sync.bind(handle), handle.close.bind(handle));
  };
  return {
    get: (key) => unless("ENOENT", files.readFile(at(key))),
    async putIfAbsent(key, value) {
      const [file, temporary] = [at(key), at(randomUUID())];
      if (await files.mkdir(path.dirname(file), { recursive: true })) await syncFolderOf(path.dirname(file));
      await files.writeFile(temporary, value, { flag: "wx", flush: true });
      // The name appears with all bytes or not at all, and for one of several writers only.
      const isPut = await unless(
        "EEXIST",
        files.link(temporary, file).then(() => true),
      );
      await files.rm(temporary);
      return syncFolderOf(file).then(() => isPut === true);
    },
    delete: (key) => files.rm(at(key), { force: true }).then(() => unless("ENOENT", syncFolderOf(at(key)))),
    async *list(prefix) {
      const folder = path.dirname(`${prefix}_`);
      const keys = (await unless("ENOENT", files.readdir(at(folder))))?.map((name) => `${folder}/${name}`);
      yield* keys?.filter((key) => key.startsWith(prefix)) ?? [];
    },
  };
}

const unless = <T>(code: string, work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: NodeJS.ErrnoException) => (error.code === code ? undefined : Promise.reject(error)));
