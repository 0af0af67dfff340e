import fs from "node:fs/promises";
import path from "node:path";
import { ProcessGate, type Storage } from "@workrail/core";
import { type Files, syncFolder, translated } from "./durable-file.ts";
import { FileCatalog } from "./file-catalog.ts";
import { FolderBlobStore } from "./folder-blob-store.ts";

/**
 * Opens storage in a folder: `catalog.json`, and one file per blob. For one process at a time: nothing here prevents a second one, which
 * would overwrite the changes of the first.
 */
export async function openFolderStorage(folder: string, files: Files = fs): Promise<Storage> {
  await translated(files.mkdir(folder, { recursive: true, mode: 0o700 }));
  await translated(syncFolder(files, path.dirname(folder)));
  const blobs = new FolderBlobStore(files, folder);
  const catalog = await FileCatalog.open(files, path.join(folder, "catalog.json"), blobs);
  const gate = new ProcessGate();
  return {
    durability: "disk",
    mode: "folder",
    warnings: [],
    catalog,
    recovery: catalog,
    blobs,
    locking: {
      inOrder: (session, work) => gate.inOrder(session, work),
      shared: (work) => gate.shared(work),
      exclusively: (work) => gate.alone(work),
    },
    // Nothing stays open between two calls.
    close: async () => undefined,
  };
}
