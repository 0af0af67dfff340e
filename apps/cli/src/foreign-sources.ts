import { homedir } from "node:os";
import type { ForeignPart, ForeignMemory } from "@workrail/foreign-memories";
import { settingArgs } from "./setting-options.ts";
import type { GlobalOptions } from "./with-store.ts";

/** Something of another program that `workrail import` takes by its name. */
export interface ForeignSource {
  /** What it is, for help. */
  readonly summary: string;
  /** Where the program keeps its data. @throws INVALID_INPUT when nothing is there. */
  readonly find: () => Promise<readonly string[]>;
  /** Reads what is at one place. */
  readonly read: (path: string, options: GlobalOptions) => AsyncIterable<ForeignPart>;
}

const importing = () => import("./library/importing.ts");

/** What `workrail import` takes by name; `./name` means a file. */
export const FOREIGN_SOURCES: Readonly<Record<string, ForeignSource>> = {
  "mcp-memory-keeper": memory("mcp-memory-keeper", "the database of mcp-memory-keeper"),
  "server-memory": memory("server-memory", "the file of @modelcontextprotocol/server-memory"),
  "basic-memory": memory("basic-memory", "the folder of notes of Basic Memory"),
};

function memory(name: ForeignMemory, summary: string): ForeignSource {
  return {
    summary,
    find: async () => (await importing()).findForeignMemory(name, { env: process.env, home: homedir() }),
    async *read(path, options) {
      const { loadSqliteDriver, readForeignMemory, readSettings } = await importing();
      const { sqliteDriver } = readSettings(process.env, { args: settingArgs(options) });
      // A store may do without SQLite; a database cannot be read without it.
      const openDatabase = (file: string, busyMs: number) =>
        loadSqliteDriver(sqliteDriver === "none" ? "auto" : sqliteDriver).open(file, busyMs);
      yield* readForeignMemory(name, { path, openDatabase });
    },
  };
}
