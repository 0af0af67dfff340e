// Backup and transfer of a store, loaded on demand.
export { backupStore } from "@workrail/transfer";
export { Transfer } from "../transfer.ts";
