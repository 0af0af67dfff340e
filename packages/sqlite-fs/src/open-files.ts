import { FileBlobStore, nodeFileSystem, SessionFactsFiles } from "@workrail/blob-files";
import type { BlobStore, SessionFacts } from "@workrail/core";

/** Files that a store keeps beside its database. */
export interface StoreFiles {
  readonly blobs: BlobStore;
  sessionFacts(): AsyncIterable<SessionFacts>;
}

/** Opens a store's files for reading, without its database and locks. Creates nothing. */
export function openFiles(dataDir: string): StoreFiles {
  const blobs = new FileBlobStore(dataDir, nodeFileSystem);
  const facts = new SessionFactsFiles(dataDir, nodeFileSystem, (directory) => blobs.ensureDirectory(directory));
  return { blobs, sessionFacts: () => facts.readAll() };
}
