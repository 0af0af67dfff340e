export const FOREIGN_MEMORIES = ["mcp-memory-keeper", "server-memory", "basic-memory"] as const;
export type ForeignMemory = (typeof FOREIGN_MEMORIES)[number];
