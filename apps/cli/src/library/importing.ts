// Re-exports the parts of the libraries that imports need. An import of a whole library would load all of it.
export { findForeignMemory, readForeignMemory } from "@workrail/foreign-memories";
export { transcriptFolder, transcriptsBelow } from "@workrail/host-transcripts";
export { readSettings } from "@workrail/runtime";
