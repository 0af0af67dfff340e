import { readBasicMemory } from "./basic-memory.ts";
import type { ForeignMemory, ForeignPart, OpenForeignDatabase } from "./foreign-memory.ts";
import { readMemoryKeeper } from "./memory-keeper.ts";
import { readServerMemory } from "./server-memory.ts";

/** The place of the data, and the way to open a database. */
export interface ReadForeignMemoryOptions {
  /** The file or folder of the program. */
  readonly path: string;
  /** Opens a copy of the database, for sources that have one. */
  readonly openDatabase: OpenForeignDatabase;
}

/**
 * Reads the data of another memory server without changing it. Yields each session, and each item that cannot be imported. Sessions are read one
 * at a time.
 *
 * @throws INVALID_INPUT when the path does not hold data of the source.
 */
export function readForeignMemory(source: ForeignMemory, options: ReadForeignMemoryOptions): AsyncIterable<ForeignPart> {
  switch (source) {
    case "mcp-memory-keeper":
      return readMemoryKeeper(options.path, options.openDatabase);
    case "server-memory":
      return readServerMemory(options.path);
    case "basic-memory":
      return readBasicMemory(options.path);
  }
}
