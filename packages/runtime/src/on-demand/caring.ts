// What keeps a store in order, and brings it elsewhere.
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
