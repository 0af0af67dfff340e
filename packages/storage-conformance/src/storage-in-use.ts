import { chained, inUse, type Storage, type StorageInUse } from "@workrail/core";
import { sha256 } from "./environment.ts";

/** Gives use cases the storage of an adapter. Chains the audit log, unless the adapter's wrapper did. */
export function storageInUse(storage: Storage): StorageInUse {
  return inUse(chained(storage, (text) => sha256.sha256(text)));
}
