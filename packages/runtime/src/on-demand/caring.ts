// Maintenance of a store, loaded on demand.
export {
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
