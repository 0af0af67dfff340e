// Re-exports the part of the library that the doctor needs. An import of the whole library would load all of it.
export { examineInstallation } from "@workrail/runtime";
