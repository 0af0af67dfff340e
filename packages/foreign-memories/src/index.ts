export { findForeignMemory } from "./find-foreign-memory.ts";
export type { ForeignPlaces } from "./find-foreign-memory.ts";
export { FOREIGN_MEMORIES } from "./foreign-memory.ts";
export type {
  ForeignDatabase,
  ForeignMemory,
  ForeignPart,
  ForeignPartSession,
  ForeignPartSkipped,
  OpenForeignDatabase,
} from "./foreign-memory.ts";
export { readForeignMemory } from "./read-foreign-memory.ts";
export type { ReadForeignMemoryOptions } from "./read-foreign-memory.ts";
