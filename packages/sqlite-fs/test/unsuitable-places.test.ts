import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { OpenDatabase } from "../src/sqlite-driver.ts";
import { Child } from "./child-process.ts";
import { openDatabase } from "./open-database.ts";
import { proveFiles } from "./prove-files.ts";
import { failureOf, SESSION, TestStore, type TestStoreOptions, withDirectory, withOpened } from "./test-store.ts";
import { silentLog } from "../src/silent-log.ts";

const ON_NFS: TestStoreOptions = { unsuitable: () => "nfs" };

describe("a store on a network file system", () => {
  it("works without WAL, with one warning in the log and one in its status while open", () =>
    withDataDir(async (dataDir) => {
      const warned: string[] = [];
      await withOpened(
        dataDir,
        async (store) => {
          for (const number of [1, 2]) await store.save({ number });
          expect(await store.contextOf()).toEqual({ number: 2 });
          expect(journalOf(dataDir)).toBe("delete");
          expect(store.storage.warnings).toEqual([expect.stringContaining("nfs")]);
          expect(warned).toEqual(store.storage.warnings);
        },
        { ...ON_NFS, log: { ...silentLog, warn: (message) => void warned.push(message) } },
      );
    }));

  it("that was killed on a local disk before has all saves, also after a move back", () =>
    withDataDir(async (dataDir) => {
      const killed = Child.start({ type: "save", dataDir, writer: "a writer", sessions: [SESSION], most: 1_000 });
      await killed.told(3);
      await killed.kill();
      const saved = killed.lines.length;
      await withOpened(
        dataDir,
        async (store) => {
          expect((await store.contextOf())["number"]).toBeGreaterThanOrEqual(saved);
          await store.save({ number: "on nfs" });
          expect(journalOf(dataDir)).toBe("delete");
        },
        ON_NFS,
      );
      await withOpened(dataDir, async (store) => {
        expect(await store.contextOf()).toEqual({ number: "on nfs" });
        expect(journalOf(dataDir)).toBe("wal");
        expect(store.storage.warnings).toEqual([]);
      });
      proveFiles(dataDir);
    }));

  it("is shared by saving processes, some of them killed: all acknowledged saves are there, without gaps", () =>
    withDataDir(async (dataDir) => {
      const start = (writer: string, most: number): Child =>
        Child.start({ type: "save", dataDir, writer, sessions: [SESSION, "pruned"], most }, { fileSystem: "nfs" });
      const [killed, ...others] = [start("killed", 1_000), start("a", 12), start("b", 12), start("c", 12)];
      await killed.told(6);
      await killed.kill();
      await Promise.all(others.map((other) => other.done()));
      await withOpened(dataDir, (store) => store.load(), ON_NFS);
      const { contexts, sequences } = proveFiles(dataDir);
      const kept = [killed, ...others].flatMap(({ lines }) => lines).filter((line) => line.startsWith(SESSION));
      expect(kept.length).toBeGreaterThanOrEqual(36);
      for (const line of kept) expect(contexts.has(line.split(" ")[1] ?? "")).toBe(true);
      expect(sequences.get(SESSION)?.[0]).toBe(1);
    }));

  it("is rebuilt there", () =>
    withDataDir(async (dataDir) => {
      await withOpened(dataDir, async (store) => store.save({ number: 1 }), ON_NFS);
      fs.writeFileSync(path.join(dataDir, "workrail.db"), "damage ".repeat(2_000));
      await withOpened(
        dataDir,
        async (store) => {
          expect(await store.recover()).toMatchObject({ checkpoints: 1 });
          expect(await store.contextOf()).toEqual({ number: 1 });
          expect(journalOf(dataDir)).toBe("delete");
        },
        ON_NFS,
      );
    }));
});

describe("an unknown file system that accepts WAL and fails on the first write", () => {
  /** Driver that fails as SQLite does without shared memory, until the journal mode needs none. */
  const failing =
    (code: string, isWithoutCure = false): OpenDatabase =>
    (file, busyMs) => {
      const database = openDatabase(file, busyMs);
      let isWal = false;
      return {
        exec(sql) {
          isWal = sql.includes("journal_mode = WAL") || (isWal && !sql.includes("journal_mode = DELETE"));
          if (sql === "BEGIN IMMEDIATE" && (isWal || isWithoutCure)) throw Object.assign(new Error("injected"), { code });
          return database.exec(sql);
        },
        prepare: (sql) => database.prepare(sql),
        close: () => database.close(),
      };
    };

  it.each(["SQLITE_IOERR_SHMMAP", "SQLITE_IOERR_SHM", "SQLITE_CANTOPEN", "SQLITE_PROTOCOL"])(
    "has it work without, and says so: %s",
    (code) =>
      withDataDir(async (dataDir) => {
        for (const number of [1, 2]) {
          await withOpened(
            dataDir,
            async (store) => {
              await store.save({ number });
              expect(await store.contextOf()).toEqual({ number });
              expect(journalOf(dataDir)).toBe("delete");
              expect(store.storage.warnings).toEqual([expect.stringContaining("share memory")]);
            },
            { openDatabase: failing(code) },
          );
        }
        await withOpened(dataDir, async (store) => expect(await store.contextOf()).toEqual({ number: 2 }));
      }),
  );

  it.each([
    ["is what the first failure was, when it does not work without WAL either", "SQLITE_CANTOPEN", "cannot-open"],
    ["is what it is, when it is of another kind", "SQLITE_IOERR_WRITE", "input-output"],
  ])("%s", (_, code, reason) =>
    withDataDir(async (dataDir) => {
      const { error } = await failureOf(TestStore.open(dataDir, { openDatabase: failing(code, true) }));
      expect(error).toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason, code } });
    }),
  );
});

function withDataDir(test: (dataDir: string) => Promise<void>): Promise<void> {
  return withDirectory((directory) => test(path.join(directory, "data")));
}

function journalOf(dataDir: string): unknown {
  const database = openDatabase(path.join(dataDir, "workrail.db"), 1_000);
  const row = database.prepare("PRAGMA journal_mode").get() as { readonly journal_mode: string };
  database.close();
  return row.journal_mode;
}
