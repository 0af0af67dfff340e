import type { BackupTarget } from "../ports/backup-target.ts";
import type { Sealer } from "../ports/sealer.ts";
import type { Storage } from "../ports/storage.ts";
import { sealLabels } from "./seal-record.ts";
import { SealedBlobStore } from "./sealed-blob-store.ts";
import { SealedCatalog } from "./sealed-catalog.ts";

/** The same storage for those who hold the key: what it keeps from now on is sealed, and what it gives was sealed. */
export function sealStorage(storage: Storage, sealer: Sealer): Storage {
  storage.recovery.chainBy?.((text) => sealer.authenticate(text));
  const catalog = new SealedCatalog(storage, sealer);
  // An index on the disk would tell the words of what is sealed, and vectors what it means.
  const { search: _search, vectors: _vectors, ...rest } = storage;
  return { ...rest, mode: `${storage.mode}, sealed`, catalog, recovery: catalog, blobs: new SealedBlobStore(storage.blobs, sealer) };
}

/** A backup of a sealed store is sealed by the same keys. */
export function sealBackupTarget(target: BackupTarget, sealer: Sealer): BackupTarget {
  return {
    blobs: new SealedBlobStore(target.blobs, sealer),
    writeFacts: (facts) => target.writeFacts(sealLabels(sealer, facts)),
    finish: (contents) => target.finish(contents),
    discard: () => target.discard(),
  };
}
