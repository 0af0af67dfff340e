import { chained, type BackupTarget, type ChainedStorage, type Sealer, type SessionId, type Storage } from "@workrail/core";
import { sealLabels } from "./seal-record.ts";
import { SealedBlobStore } from "./sealed-blob-store.ts";
import { sealedCatalog, sealedRecovery } from "./sealed-catalog.ts";

/** Wraps a storage for holders of the key: seals everything written and opens everything read. Audit rows are chained as sealed. */
export function sealStorage(storage: Storage, sealer: Sealer): ChainedStorage {
  // Leaves out the indexes: a text index would reveal words of sealed data, and vectors its meaning.
  const { search: _search, vectors: _vectors, ...rest } = chained(storage, (text) => sealer.authenticate(text), { isKeyed: true });
  const catalog = sealedCatalog(rest.catalog, sealer);
  const isEmpty = async (sessionId: SessionId): Promise<boolean> => {
    const { some } = await catalog.read({ some: { of: "places", where: { state: "any", sessionId }, order: "any", limit: 1 } });
    return some.length === 0;
  };
  return {
    ...rest,
    mode: `${storage.mode}, sealed`,
    catalog,
    recovery: sealedRecovery(rest.recovery, sealer),
    blobs: new SealedBlobStore(storage.blobs, sealer, isEmpty),
  };
}

/** Wraps a backup target, so that the backup of a sealed store is sealed by the same keys. */
export function sealBackupTarget(target: BackupTarget, sealer: Sealer): BackupTarget {
  return {
    blobs: new SealedBlobStore(target.blobs, sealer),
    writeFacts: (facts) => target.writeFacts(sealLabels(sealer, facts)),
    finish: (contents) => target.finish(contents),
    discard: () => target.discard(),
  };
}
