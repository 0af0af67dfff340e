// Of the library what one kind of command needs, loaded by that: an import of the library as a whole would load all of it.
export { findProject, readConfiguration, readSavings } from "@workrail/runtime";
