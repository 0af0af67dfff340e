import fs from "node:fs/promises";
import path from "node:path";
import { ProcessLocking, type Storage } from "@workrail/core";
import { attempt, type Files, syncFolder } from "./durable-file.ts";
import { folderBlobStore } from "./folder-blob-store.ts";
import { folderCatalog } from "./folder-catalog.ts";

/** Opens storage in a folder, for one process at a time: nothing here prevents a second one, which would overwrite the changes of the first. */
export async function openFolderStorage(folder: string, files: Files = fs): Promise<Storage> {
  await attempt(async () => {
    await files.mkdir(folder, { recursive: true, mode: 0o700 });
    await syncFolder(files, path.dirname(folder));
    for (const name of await files.readdir(folder)) if (name.endsWith(".tmp")) await files.rm(path.join(folder, name));
  });
  const blobs = folderBlobStore(files, folder);
  const catalog = folderCatalog(files, folder);
  const close = async (): Promise<void> => {};
  return { durability: "disk", mode: "folder", warnings: [], catalog, recovery: catalog, blobs, locking: new ProcessLocking(), close };
}
