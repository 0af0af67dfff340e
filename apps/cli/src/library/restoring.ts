// Re-exports the part of the library that restoring needs. An import of the whole library would load all of it.
export { restoreBackup } from "@workrail/runtime";
