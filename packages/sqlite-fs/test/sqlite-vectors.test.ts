import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { nodeFileSystem } from "@workrail/blob-files";
import { type ChangePosition, type CheckpointVector, parseCheckpointId, parseSessionId } from "@workrail/core";
import { describeVectors } from "@workrail/storage-conformance";
import { afterAll, describe, expect, it } from "vitest";
import { loadSqliteDriver } from "../src/load-sqlite-driver.ts";
import type { SqliteDriverName } from "../src/sqlite-driver.ts";
import { SqliteVectors } from "../src/sqlite-vectors.ts";
import { failureOf } from "./test-store.ts";
import { silentLog } from "../src/silent-log.ts";

const directories: string[] = [];

afterAll(() => {
  for (const directory of directories) fs.rmSync(directory, { recursive: true });
});

function newDirectory(): string {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-vectors-"));
  directories.push(directory);
  return directory;
}

function vectorsIn(dataDir: string, driver: SqliteDriverName, journal: "WAL" | "DELETE" = "WAL"): SqliteVectors {
  const file = path.join(dataDir, "vectors.db");
  return new SqliteVectors({
    file,
    fs: nodeFileSystem,
    openDatabase: loadSqliteDriver(driver).open,
    journal,
    lockWaitMs: 2_000,
    log: silentLog,
  });
}

const SPACE = { name: "model", dimensions: 2 };
const SESSION = parseSessionId("session");
const ONE: CheckpointVector = { checkpointId: parseCheckpointId("one"), project: undefined, vector: Float32Array.of(1, 0) };
const NEWS = { position: "1" as ChangePosition, sessions: [SESSION] };

describe.each<SqliteDriverName>(["better-sqlite3", "node:sqlite"])("%s", (driver) => {
  let dataDir = "";
  describeVectors({
    name: driver,
    open: async () => vectorsIn((dataDir = newDirectory()), driver),
    reopen: async () => vectorsIn(dataDir, driver),
  });

  it("creates no file before there is data, and then an owner-only file", async () => {
    const directory = newDirectory();
    const vectors = vectorsIn(directory, driver);
    await vectors.forget([ONE.checkpointId]);
    await vectors.settle(SPACE, { sessionId: SESSION, version: 1 }, [ONE.checkpointId]);
    await vectors.state(SPACE);
    expect(fs.readdirSync(directory)).toEqual([]);
    await vectors.note(SPACE, NEWS, new Date());
    expect(fs.readdirSync(directory)).toContain("vectors.db");
    const mode = fs.statSync(path.join(directory, "vectors.db")).mode & 0o777;
    expect(process.platform === "win32" ? 0o600 : mode).toBe(0o600);
    await vectors.close();
    expect((await failureOf(vectors.state(SPACE))).code).toBe("STORAGE_UNAVAILABLE");
  });

  it.each<[string, (file: string) => void]>([
    ["is no database", (file) => fs.writeFileSync(file, "no database at all, and long enough to be looked at as one".repeat(99))],
    [
      "has another schema",
      (file) => {
        const database = loadSqliteDriver(driver).open(file, 0);
        database.exec("PRAGMA user_version = 99; CREATE TABLE vector (other)");
        database.close();
      },
    ],
  ])("starts again when the file %s", async (_, spoil) => {
    const directory = newDirectory();
    spoil(path.join(directory, "vectors.db"));
    const vectors = vectorsIn(directory, driver);
    expect(await vectors.state(SPACE)).toEqual({ position: undefined, pending: 0, vectors: 0 });
    await vectors.put(SPACE, SESSION, [ONE]);
    expect(await vectors.nearest(SPACE, { vector: ONE.vector, limit: 1 })).toEqual([{ checkpointId: "one", similarity: 1 }]);
    await vectors.close();
  });

  // Windows does not allow moving an open database.
  it.skipIf(process.platform === "win32")("continues with a file that replaced the open one (not on Windows)", async () => {
    const directory = newDirectory();
    const vectors = vectorsIn(directory, driver);
    await vectors.put(SPACE, SESSION, [ONE]);
    fs.mkdirSync(path.join(directory, "replaced-1"));
    for (const name of fs.readdirSync(directory).filter((entry) => entry.startsWith("vectors"))) {
      fs.renameSync(path.join(directory, name), path.join(directory, "replaced-1", name));
    }
    expect((await vectors.state(SPACE)).vectors).toBe(0);
    await vectors.put(SPACE, SESSION, [ONE]);
    expect((await vectors.state(SPACE)).vectors).toBe(1);
    await vectors.close();
  });

  it("leaves nothing of a vector in the files once it is forgotten", async () => {
    const directory = newDirectory();
    const vectors = vectorsIn(directory, driver, "DELETE");
    const secret = Float32Array.from({ length: 600 }, (_, at) => (at % 2 === 0 ? 0.031_25 : -0.062_5));
    const space = { name: "model", dimensions: secret.length };
    await vectors.put(space, SESSION, [
      { ...ONE, vector: secret },
      { ...ONE, checkpointId: parseCheckpointId("two"), vector: secret.map(() => 1) },
    ]);
    const file = path.join(directory, "vectors.db");
    const pattern = storedPattern(file);
    expect(pattern.length).toBe(32);
    await vectors.forget([ONE.checkpointId]);
    expect(fs.readFileSync(file).includes(pattern)).toBe(false);
    await vectors.close();
  });
});

/** Returns thirty-two stored bytes of the first vector. */
function storedPattern(file: string): Buffer {
  const bytes = fs.readFileSync(file);
  for (let at = 0; at + 48 < bytes.length; at += 1) {
    const numbers = [bytes.readFloatLE(at), bytes.readFloatLE(at + 4), bytes.readFloatLE(at + 8)];
    const [first = 0, second = 0, third = 0] = numbers;
    if (first > 0.001 && first < 1 && Math.abs(second + 2 * first) < 1e-6 && third === first) return bytes.subarray(at, at + 32);
  }
  return Buffer.alloc(0);
}
