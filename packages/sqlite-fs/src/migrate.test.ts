import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { failureOf, TestStore, withDirectory, withOpened } from "../test/test-store.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import { openDatabase } from "../test/open-database.ts";
import type { SqliteDatabase } from "./sqlite-driver.ts";

describe("a database", () => {
  it("has the same schema for every connection that meets it new, and is not made twice", () =>
    withDatabases(2, ([one, other]) => {
      expect([one, other].map(schemaVersion)).toEqual([0, 0]);
      migrate(one);
      migrate(other);
      expect([one, other].map(schemaVersion)).toEqual([1, 1]);
    }));

  it("that another process is making at this moment is busy, and is found made afterwards", () =>
    withDatabases(2, ([one, other]) => {
      one.exec("BEGIN IMMEDIATE");
      expect(schemaVersion(other)).toBe(0);
      expect(() => migrate(other)).toThrow(expect.objectContaining({ code: "SQLITE_BUSY" }));
      one.exec("ROLLBACK");
      migrate(one);
      // It had begun to look, and begins again.
      expect(() => migrate(other)).not.toThrow();
      expect(schemaVersion(other)).toBe(1);
    }));

  it("that another process makes between two looks at it is not taken for a foreign one", () =>
    withDatabases(2, ([one, other]) => {
      let hasMade = false;
      const interrupted: SqliteDatabase = {
        exec: (sql) => one.exec(sql),
        close: () => one.close(),
        prepare: (sql) => {
          const statement = one.prepare(sql);
          return {
            run: (...parameters) => statement.run(...parameters),
            all: (...parameters) => statement.all(...parameters),
            get: (...parameters) => {
              const row = statement.get(...parameters);
              if (sql === "PRAGMA application_id" && !hasMade) hasMade = tryToMigrate(other);
              return row;
            },
          };
        },
      };
      one.exec("PRAGMA journal_mode = WAL");
      expect(schemaVersion(interrupted)).toBe(0);
      expect(hasMade).toBe(true);
      expect(schemaVersion(interrupted)).toBe(1);
    }));

  it.each<[string, string, { code: string; reason?: unknown }]>([
    ["of a newer version", "PRAGMA user_version = 99", { code: "UNSUPPORTED_VERSION" }],
    ["that is not ours", "PRAGMA application_id = 7", { code: "STORAGE_UNAVAILABLE", reason: "foreign-database" }],
  ])("%s is refused, and not changed", (_, change, expected) =>
    withDirectory(async (dataDir) => {
      const file = path.join(dataDir, "workrail.db");
      await withOpened(dataDir, async (store) => store.save({ number: 1 }));
      changeDatabase(file, `PRAGMA journal_mode = DELETE; ${change}`);
      const before = fs.readFileSync(file);
      expect(await failureOf(TestStore.open(dataDir))).toMatchObject(expected);
      expect(fs.readFileSync(file).equals(before)).toBe(true);
      expect(fs.readdirSync(dataDir).filter((name) => name.startsWith("workrail.db"))).toEqual(["workrail.db"]);
    }),
  );

  it("of another program, whatever its version, is refused, and not changed", () =>
    withDirectory(async (dataDir) => {
      const file = path.join(dataDir, "workrail.db");
      changeDatabase(file, "CREATE TABLE theirs (x); PRAGMA user_version = 99");
      const before = fs.readFileSync(file);
      expect(await failureOf(TestStore.open(dataDir))).toMatchObject({ code: "STORAGE_UNAVAILABLE", reason: "foreign-database" });
      expect(fs.readFileSync(file).equals(before)).toBe(true);
    }));

  it("that is blank becomes ours", () =>
    withDirectory(async (dataDir) => {
      changeDatabase(path.join(dataDir, "workrail.db"), "PRAGMA user_version = 5");
      await withOpened(dataDir, async (store) => {
        await store.save({ number: 1 });
        expect(await store.contextOf()).toEqual({ number: 1 });
      });
    }));
});

async function withDatabases(count: number, test: (databases: readonly [SqliteDatabase, SqliteDatabase]) => void): Promise<void> {
  await withDirectory(async (directory) => {
    const databases = Array.from({ length: count }, () => openDatabase(path.join(directory, "some.db"), 0));
    test(databases as unknown as readonly [SqliteDatabase, SqliteDatabase]);
    for (const database of databases) database.close();
  });
}

function tryToMigrate(database: SqliteDatabase): true {
  migrate(database);
  return true;
}

function changeDatabase(file: string, sql: string): void {
  const database = openDatabase(file, 0);
  database.exec(sql);
  database.close();
}
