export { FOREIGN_MEMORIES } from "./foreign-memory.ts";
export type { ForeignMemory } from "./foreign-memory.ts";
