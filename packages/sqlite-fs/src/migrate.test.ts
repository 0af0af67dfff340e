import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../test/open-database.ts";
import { failureOf, TestStore, withDirectory, withOpened } from "../test/test-store.ts";
import { inspectSchema, migrate, type MigrateOptions } from "./migrate.ts";
import { type Migration, MIGRATIONS } from "./migrations.ts";
import { APPLICATION_ID } from "./schema.ts";
import type { SchemaState } from "./schema-version.ts";
import type { SqliteDatabase } from "./sqlite-driver.ts";

const NEWEST = MIGRATIONS.length;
const BLANK: SchemaState = { version: 0, hasMeta: false };

describe("a database", () => {
  it("is created once, and has the same schema for every connection", () =>
    withDatabases(async (one, other) => {
      expect([one, other].map((each) => inspectSchema(each))).toEqual([BLANK, BLANK]);
      expect(await migrated(one)).toBe(NEWEST);
      expect(await migrated(other)).toBe(NEWEST);
      expect([one, other].map((each) => inspectSchema(each).version)).toEqual([NEWEST, NEWEST]);
    }));

  it("is busy while another process creates it, and is complete afterwards", () =>
    withDatabases(async (one, other) => {
      one.exec("BEGIN IMMEDIATE");
      expect(inspectSchema(other)).toEqual(BLANK);
      await expect(migrated(other)).rejects.toMatchObject({ code: expect.stringMatching(/^SQLITE_BUSY/) });
      one.exec("ROLLBACK");
      await migrated(one);
      // The other connection had inspected the schema already and inspects it again.
      expect(await migrated(other)).toBe(NEWEST);
    }));

  it("is not reported as foreign when another process creates it between two inspections", () =>
    withDatabases(async (one, other) => {
      const made = `${MIGRATIONS.map(({ sql }) => sql).join(";")}; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${NEWEST}`;
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
              if (sql === "PRAGMA application_id" && !hasMade) other.exec(`BEGIN IMMEDIATE; ${made}; COMMIT`);
              hasMade = true;
              return row;
            },
          };
        },
      };
      one.exec("PRAGMA journal_mode = WAL");
      expect(inspectSchema(interrupted)).toEqual(BLANK);
      expect(hasMade).toBe(true);
      expect(inspectSchema(interrupted)).toEqual({ version: NEWEST, hasMeta: false });
    }));

  it("records which schemas may read and write it, and enforces foreign keys after a migration", () =>
    withDatabases(async (one) => {
      const next: Migration = { sql: "CREATE TABLE next (x INTEGER) STRICT", minReader: 1, minWriter: NEWEST + 1 };
      const copied: number[] = [];
      await migrated(one, { migrations: MIGRATIONS });
      await migrated(one, { migrations: [...MIGRATIONS, next], keepCopy: async (schema) => void copied.push(schema) });
      expect(one.prepare("SELECT name, value FROM meta WHERE name LIKE 'min%' ORDER BY name").all()).toEqual([
        { name: "min_reader", value: 1 },
        { name: "min_writer", value: NEWEST + 1 },
      ]);
      expect(copied).toEqual([NEWEST + 1]);
      expect(() => one.exec("INSERT INTO checkpoint_tag VALUES (999, 'orphan')")).toThrow("FOREIGN KEY");
    }));

  it.each<[string, Migration["sql"], string]>([
    ["is not SQL", "CREATE NONSENSE", "syntax error"],
    ["breaks a foreign key", "INSERT INTO checkpoint_tag VALUES (999, 'orphan')", "point to others that are not there"],
  ])("is unchanged when a migration %s", (_, sql, message) =>
    withDatabases(async (one, other) => {
      await migrated(one);
      const broken = [...MIGRATIONS, { sql: `CREATE TABLE half (x INTEGER) STRICT; ${sql}`, minReader: 1, minWriter: 1 }];
      await expect(migrated(one, { migrations: broken })).rejects.toThrow(message);
      one.exec("ROLLBACK");
      expect(inspectSchema(other)).toEqual({ version: NEWEST, hasMeta: true });
      expect(other.prepare("SELECT 1 FROM sqlite_master WHERE name = 'half'").get()).toBeUndefined();
    }),
  );

  it("is reported as corrupt when a record in the trash is not JSON", () =>
    withDatabases(async (one) => {
      await migrated(one, { migrations: MIGRATIONS.slice(0, 7) });
      one.exec("INSERT INTO trashed (session_id, id, blob, blob_bytes, trashed_at, record) VALUES ('s', 'c', 'b', 1, 1, '{')");
      await expect(migrated(one)).rejects.toMatchObject({ code: "SQLITE_CORRUPT" });
    }));

  it.each<[string, string, { code: string; reason?: unknown }]>([
    ["of a newer version", "PRAGMA user_version = 99; UPDATE meta SET value = 99", { code: "UNSUPPORTED_VERSION" }],
    ["that is not ours", "PRAGMA application_id = 7", { code: "STORAGE_UNAVAILABLE", reason: "foreign-database" }],
  ])("%s is refused, and not changed", (_, change, expected) =>
    withDirectory(async (dataDir) => {
      const file = path.join(dataDir, "workrail.db");
      await withOpened(dataDir, async (store) => store.save({ number: 1 }));
      changeDatabase(file, `PRAGMA journal_mode = DELETE; ${change}`);
      const before = fs.readFileSync(file);
      expect(await failureOf(TestStore.open(dataDir))).toMatchObject(expected);
      expect(fs.readFileSync(file).equals(before)).toBe(true);
      expect(fs.readdirSync(dataDir).filter((name) => name.startsWith("workrail.db"))).toEqual(["workrail.db", "workrail.db-mark"]);
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

  it("that is blank is used for the store", () =>
    withDirectory(async (dataDir) => {
      changeDatabase(path.join(dataDir, "workrail.db"), "PRAGMA user_version = 5");
      await withOpened(dataDir, async (store) => {
        await store.save({ number: 1 });
        expect(await store.contextOf()).toEqual({ number: 1 });
      });
    }));
});

describe("a database of a newer schema", () => {
  const newer = (meta: string, test: (dataDir: string) => Promise<void>) =>
    withDirectory(async (dataDir) => {
      await withOpened(dataDir, async (store) => store.save({ number: 1 }));
      changeDatabase(path.join(dataDir, "workrail.db"), `PRAGMA user_version = ${NEWEST + 2}; ${meta}`);
      await test(dataDir);
    });
  const says = (minReader: number, minWriter: number): string =>
    `UPDATE meta SET value = ${minReader} WHERE name = 'min_reader'; UPDATE meta SET value = ${minWriter} WHERE name = 'min_writer'`;

  it("that this version may write is used, and keeps its schema", () =>
    newer(says(1, NEWEST), (dataDir) =>
      withOpened(dataDir, async (store) => {
        expect(await store.contextOf()).toEqual({ number: 1 });
        expect((await store.save({ number: 2 })).record.sequence).toBe(2);
        const database = openDatabase(path.join(dataDir, "workrail.db"), 0);
        expect(inspectSchema(database).version).toBe(NEWEST + 2);
        database.close();
        expect(fs.existsSync(path.join(dataDir, "backups"))).toBe(false);
      }),
    ));

  it.each<[string, string, object]>([
    ["that this version may only read", says(NEWEST, NEWEST + 1), { minReader: NEWEST, minWriter: NEWEST + 1, canRead: true }],
    ["that this version may not read", says(NEWEST + 2, NEWEST + 2), { minReader: NEWEST + 2, minWriter: NEWEST + 2, canRead: false }],
    ["whose metadata is empty", "DELETE FROM meta", { minReader: NEWEST + 2, minWriter: NEWEST + 2, canRead: false }],
    ["without metadata", "DROP TABLE meta", { minReader: NEWEST + 2, minWriter: NEWEST + 2, canRead: false }],
  ])("%s is refused, naming the schema that is needed", (_, meta, details) =>
    newer(meta, async (dataDir) => {
      const { error } = await failureOf(TestStore.open(dataDir));
      expect(error).toMatchObject({ code: "UNSUPPORTED_VERSION", details: { schema: NEWEST + 2, newestKnown: NEWEST, ...details } });
      expect(error.hint).toMatch(new RegExp(`knows schema ${NEWEST + 1}|knows schema ${NEWEST + 2}`));
    }),
  );

  const whileOpen = (minWriter: number, test: (store: TestStore) => Promise<void>) =>
    withDirectory((dataDir) =>
      withOpened(dataDir, async (store) => {
        await store.save({ number: 1 });
        const next = { sql: "CREATE TABLE next (x INTEGER) STRICT", minReader: 1, minWriter };
        await withOpened(dataDir, async (later) => later.save({ number: 2 }), { migrations: [...MIGRATIONS, next] });
        await test(store);
      }),
    );

  it("is still written by a store opened before the migration, if its version may write it", () =>
    whileOpen(NEWEST, async (store) => expect((await store.save({ number: 3 })).record.sequence).toBe(3)));

  it("is not written by a store opened before the migration, if its version may not write it", () =>
    whileOpen(NEWEST + 1, async (store) => expect((await failureOf(store.save({ number: 3 }))).code).toBe("UNSUPPORTED_VERSION")));
});

function migrated(database: SqliteDatabase, options: Partial<MigrateOptions> = {}): Promise<number> {
  const all: MigrateOptions = { lockWaitMs: 0, keepCopy: async () => undefined, ...options };
  return migrate(database, inspectSchema(database, all), all);
}

async function withDatabases(test: (one: SqliteDatabase, other: SqliteDatabase) => Promise<void>): Promise<void> {
  await withDirectory(async (directory) => {
    const databases = [1, 2].map(() => openDatabase(path.join(directory, "some.db"), 0)) as [SqliteDatabase, SqliteDatabase];
    await test(...databases);
    for (const database of databases) database.close();
  });
}

function changeDatabase(file: string, sql: string): void {
  const database = openDatabase(file, 0);
  database.exec(sql);
  database.close();
}
