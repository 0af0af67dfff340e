// Re-exports the part of the library that opening a store needs. An import of the whole library would load all of it.
export { openWorkrail } from "@workrail/runtime";
