import path from "node:path";
import { describe, expect, it } from "vitest";
import { openSqliteFs } from "../src/open-sqlite-fs.ts";
import type { SqliteDriverName } from "../src/sqlite-driver.ts";
import { Child } from "./child-process.ts";
import { proveFiles } from "./prove-files.ts";
import { failureOf, SESSION, withDirectory } from "./test-store.ts";

const PAIRS: readonly [SqliteDriverName, SqliteDriverName][] = [
  ["better-sqlite3", "node:sqlite"],
  ["node:sqlite", "better-sqlite3"],
];

describe.each(PAIRS)("a store of %s", (one, other) => {
  it(`can be used by ${other}, and then by itself again`, () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      await Child.start({ type: "compact", dataDir, writer: one, sessions: [SESSION, "pruned"], most: 8 }, { driver: one }).done();
      const opening = Child.start({ type: "open", dataDir }, { driver: other });
      expect(await opening.told(2)).toBe("11");
      expect(opening.lines[0]).toBe("opened");
      await opening.done();
      await Child.start({ type: "save", dataDir, writer: other, sessions: ["more"], most: 2 }, { driver: other }).done();
      const again = Child.start({ type: "open", dataDir }, { driver: one });
      expect(await again.told(2)).toBe("13");
      await again.done();
    }));

  it(`whose process was killed can be used by ${other}, including its WAL`, () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const killed = Child.start({ type: "save", dataDir, writer: one, sessions: [SESSION], most: 1_000 }, { driver: one });
      await killed.told(5);
      await killed.kill();
      await Child.start({ type: "save", dataDir, writer: other, sessions: [SESSION], most: 3 }, { driver: other }).done();
      const { contexts, sequences } = proveFiles(dataDir);
      expect(contexts.size).toBeGreaterThanOrEqual(8);
      expect(sequences.get(SESSION)?.[0]).toBe(1);
    }));

  it(`cannot be locked exclusively while ${other} has it open`, () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const holder = Child.start({ type: "open", dataDir }, { driver: other });
      await holder.told(2);
      const storage = await openSqliteFs({ dataDir, driver: one, lockWaitMs: 50 });
      expect(storage.mode).toBe(one);
      expect((await failureOf(storage.locking.exclusively(async () => "alone"))).code).toBe("STORE_IN_USE");
      await holder.done();
      expect(await storage.locking.exclusively(async () => "alone")).toBe("alone");
      await storage.close();
    }));
});

describe("a store that both drivers have open", () => {
  it("keeps all saves, with sequences without gaps", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const savers = PAIRS.flat().map((driver, index) =>
        Child.start({ type: "save", dataDir, writer: `${driver} ${index}`, sessions: [SESSION], most: 15 }, { driver }),
      );
      const lines = (await Promise.all(savers.map((saver) => saver.done()))).flat();
      const { contexts, sequences } = proveFiles(dataDir);
      expect(lines).toHaveLength(4 * 15);
      for (const line of lines) expect(contexts.has(line.split(" ")[1] ?? "")).toBe(true);
      expect(sequences.get(SESSION)?.[0]).toBe(1);
    }));
});

describe("opening a store", () => {
  it("logs the driver of SQLite once, at level info", () =>
    withDirectory(async (directory) => {
      const told: unknown[] = [];
      const note =
        (level: string) =>
        (message: string, fields?: object): void => {
          told.push({ level, message, ...fields });
        };
      const log = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
      const dataDir = path.join(directory, "data");
      const storage = await openSqliteFs({ dataDir, driver: "node:sqlite", log });
      await storage.close();
      expect(told).toEqual([{ level: "info", message: "opened the store", dataDir, mode: "node:sqlite" }]);
    }));
});
