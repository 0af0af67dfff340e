import { FileBlobStore, nodeFileSystem, SessionFactsFiles } from "@workrail/blob-files";
import type { BlobStore, SessionFacts } from "@workrail/core";

/** What a store keeps beside its database. */
export interface StoreFiles {
  readonly blobs: BlobStore;
  sessionFacts(): AsyncIterable<SessionFacts>;
}

/** Gives access to a store's files, without its database and its locks, and makes none. For reading where those cannot be had. */
export function openFiles(dataDir: string): StoreFiles {
  const blobs = new FileBlobStore(dataDir, nodeFileSystem);
  const facts = new SessionFactsFiles(dataDir, nodeFileSystem, (directory) => blobs.ensureDirectory(directory));
  return { blobs, sessionFacts: () => facts.readAll() };
}
