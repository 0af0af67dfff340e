import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noting } from "../test/noting-driver.ts";
import { askAfresh } from "./ask-afresh.ts";
import { loadSqliteDriver } from "./load-sqlite-driver.ts";

const DRIVERS = ["better-sqlite3", "node:sqlite"] as const;
/** Bytes of a row, and whether the database is too large to be asked in place. */
const SIZES = [
  ["small", 1_024, false],
  ["large", 1_048_576, true],
] as const;
/** SQLite's own size of a page. */
const PAGE_BYTES = 4_096;
const CASES = DRIVERS.flatMap((driver) => SIZES.map(([size, bytes, isLarge]) => ({ driver, size, bytes, isLarge })));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "workrail-ask-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each(CASES)("asking a $size database afresh, with $driver", ({ driver, bytes, isLarge }) => {
  const { open } = loadSqliteDriver(driver);

  /** Creates a database, and returns its file and a function that asks it. */
  function create() {
    const file = path.join(folder, "a.db");
    const calls: string[] = [];
    const database = open(file, 0);
    database.exec(`CREATE TABLE a (x PRIMARY KEY, y); INSERT INTO a VALUES (1, zeroblob(${bytes})), (2, 'two')`);
    database.close();
    const openDatabase = noting(open, (call) => calls.push(call));
    return { file, calls, ask: (...statements: string[]) => askAfresh(file, { driver, openDatabase }, statements) };
  }

  it("returns the first row of each statement, or an object without columns", async () => {
    const { ask } = create();
    const asked = ask("SELECT x FROM a ORDER BY x", "SELECT x FROM a WHERE x > 2", "PRAGMA integrity_check(1)");
    expect(await asked).toEqual([{ x: 1 }, {}, { integrity_check: "ok" }]);
  });

  it("leaves the statements on a large database to a thread", async () => {
    const { ask, calls } = create();
    await ask("SELECT x FROM a");
    expect(calls.includes("SELECT x FROM a")).toBe(!isLarge);
  });

  it("finds damage behind pages that another connection has in its cache", async () => {
    const { file, ask } = create();
    const other = open(file, 0);
    other.prepare("SELECT * FROM a").all();
    const damaged = readFileSync(file);
    // The first page of the table.
    damaged.fill(0xff, PAGE_BYTES, 2 * PAGE_BYTES);
    writeFileSync(file, damaged);
    const [found] = await ask("PRAGMA integrity_check(1)");
    other.close();
    expect(found).toEqual({ integrity_check: expect.stringContaining("page 2") });
  });

  it("rejects with SQLite's name of an error", async () => {
    const { file, ask } = create();
    await expect(ask("INSERT INTO a VALUES (3, 'three') RETURNING x")).rejects.toMatchObject({ code: "SQLITE_READONLY" });
    writeFileSync(file, Buffer.alloc(bytes, "no database"));
    await expect(ask("SELECT x FROM a")).rejects.toMatchObject({ code: "SQLITE_NOTADB" });
  });

  it("waits for a lock", async () => {
    const { file, ask } = create();
    const other = open(file, 0);
    other.exec("BEGIN EXCLUSIVE");
    const asked = ask("SELECT x FROM a");
    await new Promise((resolve) => setImmediate(resolve));
    other.exec("COMMIT");
    other.close();
    expect(await asked).toEqual([{ x: 1 }]);
  });
});
