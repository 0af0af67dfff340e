import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isWorkrailError } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../test/test-store.ts";
import { betterSqlite3 } from "./better-sqlite3-driver.ts";
import { loadSqliteDriver, type SqliteDriverChoice } from "./load-sqlite-driver.ts";
import { isBusy } from "./retry-while-busy.ts";
import type { SqliteDatabase, SqliteDriverName } from "./sqlite-driver.ts";
import { storageError } from "./storage-errors.ts";

const NAMES: readonly SqliteDriverName[] = ["better-sqlite3", "node:sqlite"];

describe.each(NAMES)("%s", (name) => {
  const { open } = loadSqliteDriver(name);
  const withDatabase = (test: (database: SqliteDatabase, file: string) => void) =>
    withDirectory(async (directory) => {
      const file = path.join(directory, "some.db");
      const database = open(file, 7);
      database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, number INTEGER, text TEXT UNIQUE, bytes BLOB) STRICT");
      test(database, file);
      database.close();
    });

  it("returns written values, and the number of changed rows", () =>
    withDatabase((database) => {
      const insert = database.prepare("INSERT INTO t (number, text, bytes) VALUES (?, ?, ?)");
      const bytes = new Uint8Array([0, 255]);
      expect(Number(insert.run(Number.MAX_SAFE_INTEGER, "aä\u{1f511}", bytes).changes)).toBe(1);
      insert.run(-1n, null, null);
      const rows = database.prepare("SELECT * FROM t ORDER BY id").all() as readonly { readonly bytes: Uint8Array | null }[];
      expect(rows.map((row) => ({ ...row, bytes: row.bytes === null ? null : [...row.bytes] }))).toEqual([
        { id: 1, number: Number.MAX_SAFE_INTEGER, text: "aä\u{1f511}", bytes: [0, 255] },
        { id: 2, number: -1, text: null, bytes: null },
      ]);
      expect(database.prepare("SELECT id FROM t WHERE text = ?").get("not there")).toBeUndefined();
      expect(database.prepare("UPDATE t SET number = 5 WHERE id = 1 RETURNING number").get()).toEqual({ number: 5 });
      expect(Number(database.prepare("DELETE FROM t").run().changes)).toBe(2);
    }));

  it("waits inside for the given time", () =>
    withDatabase((database) => {
      expect(Object.values(database.prepare("PRAGMA busy_timeout").get() as object)).toEqual([7]);
    }));

  it.each<[string, string | undefined, (database: SqliteDatabase, file: string) => unknown]>([
    ["SQLITE_CONSTRAINT", "other", (database) => database.exec("INSERT INTO t (text) VALUES ('a'), ('a')")],
    ["SQLITE_ERROR", "other", (database) => database.prepare("no SQL")],
    ["SQLITE_FULL", "disk-full", (database) => database.exec("PRAGMA max_page_count = 3; INSERT INTO t (bytes) VALUES (zeroblob(100000))")],
    ["SQLITE_READONLY", "read-only", (database) => database.exec("PRAGMA query_only = 1; INSERT INTO t (number) VALUES (1)")],
    ["SQLITE_CANTOPEN", "cannot-open", (_, file) => open(path.dirname(file), 0).exec("CREATE TABLE x (x)")],
    [
      "SQLITE_NOTADB",
      "catalog-damaged",
      () =>
        open(fileURLToPath(import.meta.url), 0)
          .prepare("SELECT * FROM t")
          .all(),
    ],
    [
      "SQLITE_BUSY",
      undefined,
      (database, file) => {
        database.exec("BEGIN EXCLUSIVE");
        open(file, 0).exec("BEGIN EXCLUSIVE");
      },
    ],
  ])("names an error %s", (code, reason, fail) =>
    withDatabase((database, file) => {
      const error = failureOf(() => fail(database, file));
      expect(error).toMatchObject({ code: expect.stringMatching(new RegExp(`^${code}`)) });
      expect(isBusy(error)).toBe(code === "SQLITE_BUSY");
      const translated = storageError(error);
      expect(isWorkrailError(translated) && translated.details["reason"]).toBe(reason);
    }),
  );
});

describe("better-sqlite3", () => {
  it("is not so much as loaded by a Node that it would crash", () => {
    let isLoaded = false;
    const require = (): unknown => (isLoaded = true);
    expect(() => betterSqlite3(require, 9)).toThrow("too old for better-sqlite3, which needs 22.14");
    expect(isLoaded).toBe(false);
  });
});

describe("the choice of a driver", () => {
  const real = createRequire(import.meta.url);
  const without =
    (...missing: readonly string[]) =>
    (name: string): unknown => {
      if (missing.includes(name)) throw new Error(`${name} is not there.\nStack`);
      return real(name) as unknown;
    };

  it.each<[SqliteDriverChoice | undefined, readonly string[], SqliteDriverName]>([
    [undefined, [], "better-sqlite3"],
    ["auto", [], "better-sqlite3"],
    ["auto", ["better-sqlite3"], "node:sqlite"],
    ["node:sqlite", ["better-sqlite3"], "node:sqlite"],
    ["better-sqlite3", ["node:sqlite"], "better-sqlite3"],
  ])("%s, without %j, is %s", (choice, missing, expected) => {
    const driver = loadSqliteDriver(choice, without(...missing));
    expect(driver.name).toBe(expected);
    const database = driver.open(":memory:", 0);
    expect(database.prepare("SELECT 1 AS one").get()).toEqual({ one: 1 });
    database.close();
  });

  it.each<[SqliteDriverChoice, readonly SqliteDriverName[]]>([
    ["auto", NAMES],
    ["better-sqlite3", ["better-sqlite3"]],
    ["node:sqlite", ["node:sqlite"]],
  ])("%s, where nothing fits, is refused, saying what was tried and what to do", (choice, tried) => {
    expect(failureOf(() => loadSqliteDriver(choice, without(...NAMES)))).toMatchObject({
      code: "STORAGE_UNAVAILABLE",
      details: { reason: "no-sqlite", tried: Object.fromEntries(tried.map((name) => [name, `${name} is not there.`])) },
      hint: expect.stringContaining("Node 22.13"),
    });
  });

  it("is refused by a Node that has no SQLite and may not load native modules", () => {
    const script = `
      import { loadSqliteDriver } from ${JSON.stringify(new URL("./load-sqlite-driver.ts", import.meta.url).href)};
      try { loadSqliteDriver(); } catch (error) { console.log(error.code, error.details.reason, Object.keys(error.details.tried).join()); }`;
    const flags = ["--conditions=@workrail/source", "--no-experimental-sqlite", "--no-addons", "--input-type=module", "-e", script];
    const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: "utf8" });
    expect(stdout, stderr).toBe("STORAGE_UNAVAILABLE no-sqlite better-sqlite3,node:sqlite\n");
  });
});

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("It succeeded.");
}
