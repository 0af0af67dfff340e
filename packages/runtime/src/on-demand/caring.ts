// Maintenance, backup and transfer of a store, loaded on demand.
export {
  backupStore,
  collectGarbage,
  emptyTrash,
  eraseCheckpoints,
  finishErasures,
  finishRemovals,
  rebuildCatalog,
  recoverCatalog,
  removeCheckpoints,
  repairStore,
  restoreFromTrash,
  scanStore,
  verifyStore,
} from "@workrail/core";
export { Transfer } from "../transfer.ts";
