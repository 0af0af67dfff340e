import { homedir } from "node:os";
import type { ForeignPart, ForeignMemory } from "@workrail/foreign-memories";
import { loadSqliteDriver } from "@workrail/runtime";
import { settingArgs } from "./setting-options.ts";
import type { GlobalOptions } from "./with-store.ts";

/** Data of another program that `workrail import` reads by the program's name. */
export interface ForeignSource {
  /** Describes the data in the help. */
  readonly summary: string;
  /** Finds the places where the program keeps its data. @throws INVALID_INPUT when there are none. */
  readonly find: () => Promise<readonly string[]>;
  /** Reads the data at one place. */
  readonly read: (path: string, options: GlobalOptions) => AsyncIterable<ForeignPart>;
}

const importing = () => import("./library/importing.ts");

/** The sources that `workrail import` knows by name; `./name` means a file. */
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
      const { readForeignMemory, readSettings } = await importing();
      const { sqliteDriver } = readSettings(process.env, { args: settingArgs(options) });
      // A store can work without SQLite, but a database cannot be read without it.
      const driver = await loadSqliteDriver(sqliteDriver === "none" ? "auto" : sqliteDriver);
      const openDatabase = (file: string, busyMs: number) => driver.open(file, busyMs);
      yield* readForeignMemory(name, { path, openDatabase });
    },
  };
}
