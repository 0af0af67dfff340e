import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type CheckpointId, KEEP_TAG } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { MIGRATIONS } from "../src/migrations.ts";
import { CHECKPOINT_COLUMNS, SESSION_COLUMNS } from "../src/row-checksum.ts";
import { executeIn, rowsIn } from "./open-database.ts";
import { failureOf, SESSION, type TestStore, withDirectory, withOpened } from "./test-store.ts";

const ID = "checkpoint" as CheckpointId;

describe("a row of checkpoint that changed on the disk", () => {
  it.each([...CHECKPOINT_COLUMNS, "checksum"])("in its %s counts as damage, not as a checkpoint", (column) =>
    withSaved(async (store) => {
      change(store, "checkpoint", column);
      const { catalog, recovery } = store.storage;
      const reads = await Promise.allSettled([catalog.list({ filter: {}, limit: 10, offset: 0 }), catalog.find(ID), catalog.head(SESSION)]);
      expect(reads.filter(({ status }) => status === "rejected").map((read) => "reason" in read && read.reason)).toContainEqual(
        expect.objectContaining({ code: "STORAGE_UNAVAILABLE", details: expect.objectContaining({ reason: "catalog-damaged" }) }),
      );
      expect(await recovery.needsRebuild()).toBe(true);
      expect(await store.recover()).toMatchObject({ checkpoints: 1 });
      expect(await catalog.find(ID)).toMatchObject({ name: "a name", tags: ["tag"] });
    }),
  );

  it.each([
    ["its name", "record = replace(record, 'a name', 'a nbme')"],
    ["when it went there", "trashed_at = trashed_at - 4096"],
  ])("counts as damage in the trash too, in %s", (_, change) =>
    withSaved(async (store) => {
      await intoTrash(store);
      execute(store, `UPDATE trashed SET ${change}`);
      expect((await failureOf(store.storage.catalog.trash({ limit: 10 }))).reason).toBe("catalog-damaged");
    }),
  );

  it("does not bring a wrong time from the trash into the session's file", () =>
    withSaved(async (store) => {
      await intoTrash(store);
      execute(store, "UPDATE trashed SET trashed_at = trashed_at - 4096");
      const tags = { sessionId: SESSION, add: ["other"], remove: [] };
      expect((await failureOf(store.storage.catalog.commit({ tags, audit: [] }))).reason).toBe("catalog-damaged");
    }));

  it("is not skipped as damaged in favor of an older one", () =>
    withSaved(async (store) => {
      await store.save({ number: 2 });
      execute(store, "UPDATE checkpoint SET damaged = 1 WHERE sequence = 2");
      expect((await failureOf(store.storage.catalog.head(SESSION))).reason).toBe("catalog-damaged");
      await store.recover();
      expect(await store.storage.catalog.head(SESSION)).toMatchObject({ sequence: 2 });
    }));

  it.each([
    ["attributes", 'UPDATE checkpoint SET attributes = \'{"phase"z"x"}\'', { phase: "x" }],
    ["tags of its session", "UPDATE session SET tags = '[x'", { tags: ["other"] }],
  ])("so that %s are no JSON is damage where they are only looked into", (_, sql, filter) =>
    withSaved(async (store) => {
      execute(store, sql);
      expect((await failureOf(store.storage.catalog.list({ filter, limit: 10, offset: 0 }))).reason).toBe("catalog-damaged");
      expect(await store.recover()).toMatchObject({ checkpoints: 1 });
    }),
  );
});

describe("a checkpoint that is to be kept", () => {
  it("is not pruned when its keep tag is lost, which is damage", () =>
    withDirectory((directory) =>
      withOpened(
        path.join(directory, "data"),
        async (store) => {
          await store.save({ number: 1 }, { checkpointId: ID, tags: [KEEP_TAG] });
          await store.save({ number: 2 });
          execute(store, "DELETE FROM checkpoint_tag");
          expect((await failureOf(store.save({ number: 3 }))).reason).toBe("catalog-damaged");
          // The rows have the tags too, so the catalog is mended in place.
          expect(await store.recover()).toBeUndefined();
          await store.save({ number: 4 });
          expect(await store.storage.catalog.find(ID)).toMatchObject({ tags: [KEEP_TAG] });
        },
        { maxCheckpoints: 1 },
      ),
    ));
});

describe("a checksum", () => {
  it.each(["checkpoint", "session"])("of a row of %s equals the one that the reference defines", (table) =>
    withSaved(async (store) => {
      await store.save({ number: 2 }, { name: "ä \u{1f511}", project: "/p" });
      const columns = columnsIn(table);
      const rows = reading(store, `SELECT * FROM ${table}`);
      expect(new Set(columns)).toEqual(new Set(Object.keys(rows[0] ?? {})));
      const summed = columns.filter((column) => column !== "checksum");
      expect(rows.map((row) => sumOf(summed.map((column) => row[column])))).toEqual(rows.map((row) => row["checksum"]));
    }),
  );
});

describe("a row of session that changed on the disk", () => {
  it.each([...SESSION_COLUMNS, "checksum"])("in its %s counts as damage, not as a session", (column) =>
    withSaved(async (store) => {
      change(store, "session", column);
      expect((await failureOf(store.storage.catalog.sessions({ limit: 10 }))).reason).toBe("catalog-damaged");
      expect(await store.recover()).toMatchObject({ checkpoints: 1 });
      expect(await store.storage.catalog.session(SESSION)).toMatchObject({ pins: ["number"], checkpointCount: 1 });
    }),
  );

  it("is not made valid by a save, which fails, or by a pin", () =>
    withSaved(async (store) => {
      change(store, "session", "tags");
      expect((await failureOf(store.save({ number: 2 }))).reason).toBe("catalog-damaged");
      expect((await failureOf(store.pin("other"))).reason).toBe("catalog-damaged");
      await store.recover();
      await store.save({ number: 2 });
      expect(await store.contextOf()).toEqual({ number: 2 });
    }));
});

describe("a table with a changed definition", () => {
  it.each([
    ["has another column", "trashed_at INTEGER", "trbshed_at INTEGER"],
    ["has another name", "tabletrashedtrashed", "tabletrbshedtrbshed"],
  ])("is damage where it %s, and ends in a rebuild", (_, text, other) =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      await withOpened(dataDir, (store) => store.save({ number: 1 }));
      const file = path.join(dataDir, "workrail.db");
      const bytes = fs.readFileSync(file);
      bytes.write(other, bytes.indexOf(text));
      fs.writeFileSync(file, bytes);
      await withOpened(dataDir, async (store) => {
        expect((await failureOf(store.storage.catalog.trash({ limit: 10 }))).reason).toBe("catalog-damaged");
        expect(await store.recover()).toMatchObject({ checkpoints: 1 });
        expect((await store.storage.catalog.trash({ limit: 10 })).entries).toEqual([]);
      });
    }),
  );

  it("is not reported for an added table or index", () =>
    withSaved(async (store) => {
      execute(store, "CREATE INDEX theirs ON checkpoint (name); CREATE TABLE of_theirs (x INTEGER)");
      expect((await store.storage.catalog.list({ filter: {}, limit: 10, offset: 0 })).records).toHaveLength(1);
      expect(await store.recover()).toBeUndefined();
    }));
});

describe("a catalog that a newer version migrated while it was open", () => {
  it.each([
    ["sums rows in another way", "UPDATE checkpoint SET checksum = checksum + 1"],
    ["has other columns", "ALTER TABLE checkpoint RENAME COLUMN sequence TO place"],
  ])("is not treated as damaged or rebuilt when it %s", (_, sql) =>
    withSaved(async (store) => {
      const next = MIGRATIONS.length + 1;
      // Large enough that the stand-in for a newer version, which computes our checksums, does not verify rows when it opens.
      execute(store, "CREATE TABLE filler (x BLOB); INSERT INTO filler VALUES (zeroblob(3 * 1024 * 1024))");
      await withOpened(store.dataDir, async () => undefined, { migrations: [...MIGRATIONS, { sql, minReader: next, minWriter: next }] });
      await failureOf(store.storage.catalog.head(SESSION));
      expect((await failureOf(store.recover())).code).toBe("UNSUPPORTED_VERSION");
      expect((await failureOf(store.save({ number: 2 }))).code).toBe("UNSUPPORTED_VERSION");
      expect(fs.readdirSync(store.dataDir).filter((name) => name.includes("replaced"))).toEqual([]);
    }),
  );
});

/** Runs a test with a store of one checkpoint with a name, a tag and a pin. */
function withSaved(test: (store: TestStore) => Promise<void>): Promise<void> {
  return withDirectory((directory) =>
    withOpened(path.join(directory, "data"), async (store) => {
      await store.save({ number: 1 }, { checkpointId: ID, name: "a name", tags: ["tag"] });
      await store.pin("number");
      await test(store);
    }),
  );
}

async function intoTrash(store: TestStore): Promise<void> {
  const move = { sessionId: SESSION, checkpoints: [ID], from: "live", to: "trash", at: new Date(), reason: "for a test" } as const;
  await store.storage.catalog.commit({ move, audit: [] });
}

/** Changes one column of the only row to another value of the same kind that differs in more than one bit. */
function change(store: TestStore, table: "checkpoint" | "session", column: string): void {
  const ofNull = column === "shielded_until" ? "1" : "'x'";
  const other = `CASE typeof(${column}) WHEN 'integer' THEN ${column} + 5 WHEN 'text' THEN ${column} || ' ' ELSE ${ofNull} END`;
  execute(store, `PRAGMA foreign_keys = OFF; UPDATE ${table} SET ${column} = ${other}`);
}

const REFERENCE = fileURLToPath(new URL("../../../docs/reference/on-disk-format.md", import.meta.url));

/** Columns of a table in the order of the reference. */
function columnsIn(table: string): readonly string[] {
  const [, section = ""] = fs.readFileSync(REFERENCE, "utf8").split(`\n### ${table}\n`);
  const [described = ""] = section.split("\n### ");
  return [...described.matchAll(/^\| `(\w+)`/gm)].map(([, column]) => column ?? "");
}

/** Computes the checksum as the reference describes it, independently of our code. */
function sumOf(values: readonly (string | number | null | undefined)[]): number {
  const unitsOf = (text: string): readonly number[] => text.split("").map((unit) => unit.charCodeAt(0));
  const units = values.flatMap((value) =>
    value === null ? [65_536] : [typeof value === "string" ? 65_537 : 65_538, ...unitsOf(String(value))],
  );
  return Number(units.reduce((sum, unit) => ((sum ^ BigInt(unit)) * 16_777_619n) % 2n ** 32n, 2_166_136_261n));
}

function reading(store: TestStore, sql: string): readonly Readonly<Record<string, string | number | null>>[] {
  return rowsIn(fileOf(store), sql) as readonly Readonly<Record<string, string | number | null>>[];
}

function execute(store: TestStore, sql: string): void {
  executeIn(fileOf(store), sql);
}

function fileOf({ dataDir }: TestStore): string {
  return path.join(dataDir, "workrail.db");
}
