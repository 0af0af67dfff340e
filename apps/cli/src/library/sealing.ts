// Re-exports the part of the library that sealing needs. An import of the whole library would load all of it.
export { rekeyStore, rekeyStoreDeeply, sealStore, unsealStore } from "@workrail/runtime";
