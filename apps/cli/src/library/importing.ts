// Of the libraries what one kind of command needs, loaded by that: an import of the library as a whole would load all of it.
export { findForeignMemory, readForeignMemory } from "@workrail/foreign-memories";
export { transcriptFolder, transcriptsBelow } from "@workrail/host-transcripts";
export { exportForeignSession, importTranscripts, loadSqliteDriver, readSettings } from "@workrail/runtime";
