// Re-exports the part of the library that saving needs. An import of the whole library would load all of it.
export { findProject, readConfiguration } from "@workrail/runtime";
