import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { nodeFileSystem } from "@workrail/blob-files";
import type { Log, SearchEngine } from "@workrail/core";
import { describeSearch } from "@workrail/storage-conformance";
import { afterAll } from "vitest";
import { loadSqliteDriver } from "../src/load-sqlite-driver.ts";
import { SqliteSearch } from "../src/search/sqlite-search.ts";
import type { SqliteDriverName } from "../src/sqlite-driver.ts";

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-search-"));
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

const ignore = (): void => undefined;
const log: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
let opened = 0;

for (const name of ["better-sqlite3", "node:sqlite"] satisfies SqliteDriverName[]) {
  const { open: openDatabase } = loadSqliteDriver(name);
  const open = async (): Promise<SearchEngine> => {
    const file = path.join(directory, `search-${++opened}.db`);
    return new SqliteSearch({ file, fs: nodeFileSystem, openDatabase, journal: "WAL", lockWaitMs: 5_000, log });
  };
  describeSearch({ name, open });
}
