// Of the libraries what one kind of command needs, loaded by that: an import of the library as a whole would load all of it.
export { findForeignMemory, readForeignMemory } from "@workrail/foreign-memories";
export { exportForeignSession, loadSqliteDriver, readSettings } from "@workrail/runtime";
