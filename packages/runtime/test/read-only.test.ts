import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { snapshotOf } from "@workrail/faults";
import { afterEach, describe, expect, it, vi } from "vitest";
import { OPERATIONS } from "../src/facets/operations.ts";
import { openWorkrail } from "../src/open-workrail.ts";
import { restoreBackup } from "../src/restore-backup.ts";
import { sealStore } from "../src/sealing/seal-store.ts";
import { setSetting } from "../src/config/set-setting.ts";
import type { SearchCheckpointsResult } from "../src/search/search-checkpoints.ts";
import type { Workrail } from "../src/workrail.ts";
import { KINDS, onDisk, type Place, refusalOf, removeCatalog } from "./stores.ts";

const KEY = "ab".repeat(32);

/** Kinds of stores, with the settings of their readers. */
const STORES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "better-sqlite3": {},
  "node:sqlite": { WORKRAIL_SQLITE_DRIVER: "node:sqlite" },
  "files alone": { WORKRAIL_SQLITE_DRIVER: "none" },
  sealed: { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: KEY },
};

/** Returns the readers' copies in the system's temporary directory. */
function copies(): readonly string[] {
  return fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith(".tmp-read-") && name.includes(`-${process.pid}-`));
}

async function fill(store: Workrail): Promise<void> {
  for (let step = 1; step <= 3; step++) {
    await store.saveCheckpoint({
      sessionId: "s",
      checkpointId: `c${step}`,
      context: { step, note: `weathervane ${step}` },
      metadata: { name: `n${step}` },
    });
  }
  await store.markCritical({ sessionId: "s", contextKey: "note" });
  await store.saveCheckpoint({ sessionId: "gone", checkpointId: "trashed", context: { old: true } });
  await store.cleanUp({ sessionId: "gone", keepLast: 0 }).catch(() => undefined);
}

/** Searches until the index is complete: on a busy machine indexing may take longer than an answer waits. */
async function searchWhole(store: Workrail, query: string): Promise<SearchCheckpointsResult> {
  for (;;) {
    const found = await store.searchCheckpoints({ query });
    if (found.indexPending === undefined) return found;
  }
}

/** Runs every read. */
async function readAll(store: Workrail): Promise<void> {
  expect((await store.loadCheckpoint({ checkpointId: "c1" })).context).toEqual({ step: 1, note: "weathervane 1" });
  expect((await store.loadCheckpoint({ sessionId: "s" })).metadata).toMatchObject({ id: "c3", criticalKeys: ["note"] });
  expect((await store.findCheckpoints({ sessionId: "s" })).total).toBe(3);
  expect((await store.searchCheckpoints({ query: "weathervane" })).hits[0]?.checkpoint).toMatchObject({ sessionId: "s" });
  expect((await store.viewCheckpoint({ checkpointId: "c3", budgetTokens: 300 })).context).toMatchObject({ step: 3 });
  expect(await store.resumeWork({ sessionId: "s" })).toMatchObject({ status: "LOADED" });
  expect(await store.resumeWork({ hint: "weathervane" })).toMatchObject({ status: "CANDIDATES" });
  expect((await store.handoff({ sessionId: "s" })).markdown).toContain("weathervane 3");
  expect((await store.listSessions()).sessions.map(({ id }) => id)).toContain("s");
  expect((await store.traceSession({ sessionId: "s" })).headId).toBe("c3");
  expect((await store.compareCheckpoints({ fromId: "c1", toId: "c3" })).to.id).toBe("c3");
  expect((await store.storeStats()).total.checkpoints).toBeGreaterThan(2);
  expect(await store.storeStatus()).toMatchObject({ readOnly: true, mode: expect.stringContaining("read-only") });
  expect((await store.verifyStore()).findings).toEqual([]);
  expect((await store.scanStore()).found).toEqual([]);
  await store.listTrash();
  expect((await store.auditLog()).entries.length).toBeGreaterThan(0);
  expect(await store.verifyAuditLog()).toMatchObject({ findings: [] });
  await store.cleanUp({ dryRun: true });
  await store.emptyTrash({ dryRun: true });
  expect(await store.repairStore({ dryRun: true })).toMatchObject({ repaired: [], left: [] });
  let text = "";
  for await (const piece of store.exportText("s")) text += piece;
  expect(text).toContain("weathervane 2");
  expect((await store.projectCheckpoints.search({ query: "weathervane" })).results.length).toBeGreaterThan(0);
  expect((await store.projectCheckpoints.getById("c2")).summary).toBe("n2");
  expect(await store.prioritizeContext({ checkpointId: "c2", budgetTokens: 500 })).toMatchObject({ checkpointId: "c2" });
}

/** Every write. */
const WRITES: Readonly<Record<string, (store: Workrail, folder: string) => Promise<unknown>>> = {
  saveCheckpoint: (store) => store.saveCheckpoint({ sessionId: "s", context: { step: 4 } }),
  "saveCheckpoint of what is saved already": (store) =>
    store.saveCheckpoint({ sessionId: "s", context: { step: 3, note: "weathervane 3" } }),
  "saveCheckpoint of nothing": (store) => store.saveCheckpoint({}),
  markCritical: (store) => store.markCritical({ sessionId: "s", contextKey: "note" }),
  "compressContext of a context": (store) => store.compressContext({ context: { a: 1 } }),
  storeConversation: (store) => store.storeConversation({ conversation: "one word" }),
  "projectCheckpoints.create": (store, folder) => store.projectCheckpoints.create({ summary: "x", projectPath: folder }),
  "projectCheckpoints.delete": (store) => store.projectCheckpoints.delete("c1"),
  appendRecords: (store) => store.appendRecords({ checkpointId: "c1", records: [] }),
  deleteCheckpoint: (store) => store.deleteCheckpoint({ checkpointId: "c1" }),
  erase: (store) => store.erase({ checkpointIds: ["c1"] }),
  cleanUp: (store) => store.cleanUp(),
  restoreFromTrash: (store) => store.restoreFromTrash({ sessionId: "gone" }),
  emptyTrash: (store) => store.emptyTrash(),
  keepSession: (store) => store.keepSession("s"),
  copySession: (store) => store.copySession({ fromSessionId: "s", toSessionId: "copy" }),
  tagSession: (store) => store.tagSession({ sessionId: "s", add: ["t"] }),
  rebuildCatalog: (store) => store.rebuildCatalog(),
  collectGarbage: (store) => store.collectGarbage(),
  upkeep: (store) => store.upkeep(),
  repairStore: (store) => store.repairStore(),
  exportSession: (store, folder) => store.exportSession("s", { file: path.join(folder, "s.json") }),
  exportAll: (store, folder) => store.exportAll(folder),
  takePushed: (store) => store.takePushed({ checkpoints: [] }),
  takeSaves: (store) => store.takeSaves({ saves: [] }),
  importText: (store) => store.importText(new Blob(["{}"]).stream()),
  importFile: (store, folder) => store.importFile(path.join(folder, "none.json")),
  exportAuditLog: (store, folder) => store.exportAuditLog(path.join(folder, "audit.jsonl")),
  backup: (store, folder) => store.backup(path.join(folder, "backup")),
  "the end of a phase in a live context": async (store) => {
    await using live = store.liveContext({ workflowId: "w", sessionId: "live" });
    live.set("goal", "end it");
    return await live.endPhase("first");
  },
};

it("has a refused write of every operation that changes a store", () => {
  const changes = Object.entries(OPERATIONS).filter(([, { changes }]) => changes !== undefined);
  expect(Object.keys(WRITES)).toEqual(expect.arrayContaining(changes.map(([name]) => name)));
});

describe.each(Object.entries(STORES))("a store (%s) that is opened read-only", (_kind, env) => {
  const filled = (test: (place: Place) => Promise<void>): Promise<void> =>
    onDisk(async (place) => {
      const store = await place.open();
      await fill(store);
      await store.close();
      await test(place);
    }, env);

  it("can be read in every way, and stays unchanged", () =>
    filled(async (place) => {
      const before = snapshotOf(place.dataDir);
      const store = await place.open({ readOnly: true });
      await readAll(store);
      expect(copies()).toHaveLength(1);
      await store.close();
      expect(snapshotOf(place.dataDir)).toEqual(before);
      expect(copies()).toEqual([]);
    }));

  it("refuses every change", () =>
    filled(async (place) => {
      const before = snapshotOf(place.dataDir);
      const folder = path.dirname(place.dataDir);
      const beside = fs.readdirSync(folder);
      const store = await place.open({ readOnly: true });
      const codes = new Map<string, string>();
      for (const [name, write] of Object.entries(WRITES)) codes.set(name, (await refusalOf(write(store, folder))).code);
      await store.close();
      expect(Object.fromEntries(codes)).toEqual(Object.fromEntries(Object.keys(WRITES).map((name) => [name, "READ_ONLY"])));
      expect(snapshotOf(place.dataDir)).toEqual(before);
      expect(fs.readdirSync(folder)).toEqual(beside);
    }));

  it("is read without its catalog, which stays missing", () =>
    filled(async (place) => {
      removeCatalog(place.dataDir);
      const before = snapshotOf(place.dataDir);
      const store = await place.open({ readOnly: true });
      expect((await store.loadCheckpoint({ checkpointId: "c2" })).context).toMatchObject({ step: 2 });
      await store.close();
      expect(snapshotOf(place.dataDir)).toEqual(before);
    }));

  it("is read without its catalog, however recently the catalog was changed", () =>
    filled(async (place) => {
      removeCatalog(place.dataDir);
      // A whole-second time may come from a coarse clock that hides a change soon after.
      const now = Math.round(Date.now() / 1_000);
      const mark = path.join(place.dataDir, "workrail.db-mark");
      if (fs.existsSync(mark)) fs.utimesSync(mark, now, now);
      const store = await place.open({ readOnly: true });
      for (const id of ["c1", "c2", "c3"]) expect((await store.loadCheckpoint({ checkpointId: id })).metadata.id).toBe(id);
      await store.close();
    }));

  it("reports a damaged checkpoint, and leaves it in place", () =>
    filled(async (place) => {
      fs.writeFileSync(path.join(place.dataDir, "contexts/s/c3.json.gz"), "damaged");
      const before = snapshotOf(place.dataDir);
      const store = await place.open({ readOnly: true });
      expect((await refusalOf(store.loadCheckpoint({ checkpointId: "c3" }))).code).toBe("CHECKPOINT_CORRUPT");
      expect(await store.loadCheckpoint({ sessionId: "s" })).toMatchObject({
        context: { step: 2 },
        fellBackFrom: [{ checkpointId: "c3" }],
      });
      await store.close();
      expect(snapshotOf(place.dataDir)).toEqual(before);
    }));
});

describe.each(["better-sqlite3", "node:sqlite"])("a reader with %s beside a writer", (driver) => {
  const env = { WORKRAIL_SQLITE_DRIVER: driver };
  let turns: NodeJS.Timeout | undefined;

  afterEach(() => {
    clearInterval(turns);
    vi.useRealTimers();
  });

  /** Stops delayed work, while timers that are due at once still run. */
  const stopTime = (): void => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    turns = setInterval(() => vi.advanceTimersByTime(0), 1);
  };

  it("reads and finds new saves, and changes nothing", () =>
    onDisk(async (place) => {
      const writer = await place.open();
      await fill(writer);
      const reader = await place.open({ readOnly: true });
      for (let step = 4; step <= 12; step++) {
        const { checkpointId } = await writer.saveCheckpoint({ sessionId: "s", context: { step, note: `gnomon${step}` } });
        expect((await reader.loadCheckpoint({ sessionId: "s" })).metadata.id).toBe(checkpointId);
        const found = await searchWhole(reader, `gnomon${step}`);
        expect({ found, id: found.hits[0]?.checkpoint.id }).toMatchObject({ id: checkpointId });
      }
      await reader.close();
      await writer.close();
    }, env));

  it("continues when its copies are removed, as cleaners of temporary files do", () =>
    onDisk(async (place) => {
      const writer = await place.open();
      await fill(writer);
      const reader = await place.open({ readOnly: true });
      await searchWhole(reader, "weathervane");
      const removeCopies = (): void => {
        for (const name of copies()) fs.rmSync(path.join(os.tmpdir(), name), { recursive: true });
      };
      removeCopies();
      expect((await searchWhole(reader, "weathervane")).hits[0]?.checkpoint).toMatchObject({ sessionId: "s" });
      for (const step of [4, 5]) {
        removeCopies();
        await writer.saveCheckpoint({ sessionId: "s", context: { step, note: `gnomon${step}` } });
        expect((await reader.loadCheckpoint({ sessionId: "s" })).context).toMatchObject({ step });
        expect((await searchWhole(reader, `gnomon${step}`)).hits[0]?.checkpoint).toMatchObject({ sessionId: "s" });
      }
      expect(fs.statSync(path.join(os.tmpdir(), copies()[0] ?? "")).mode & 0o077).toBe(0);
      await reader.close();
      expect(copies()).toEqual([]);
      await writer.close();
    }, env));

  it("does not change the writer's log and shared memory", () =>
    onDisk(async (place) => {
      stopTime();
      const writer = await place.open({ upkeep: false });
      await fill(writer);
      let before = snapshotOf(place.dataDir);
      // Waits until the work after its answers has settled; nothing reports that it has.
      for (let last = ""; last !== before.join(); before = snapshotOf(place.dataDir)) {
        last = before.join();
        await sleep(200);
      }
      expect(before.some((line) => line.startsWith("workrail.db-wal "))).toBe(true);
      const reader = await place.open({ readOnly: true });
      await readAll(reader);
      await reader.close();
      expect(snapshotOf(place.dataDir)).toEqual(before);
      await writer.close();
    }, env));

  it("reads the store of a killed writer", () =>
    onDisk(async (place) => {
      const writer = await place.open();
      await fill(writer);
      const left = `${place.dataDir}-left`;
      fs.cpSync(place.dataDir, left, { recursive: true, filter: (file) => path.basename(file) !== "open" });
      await writer.close();
      const before = snapshotOf(left);
      const reader = await place.open({ readOnly: true, dataDir: left });
      expect((await reader.findCheckpoints({ sessionId: "s" })).total).toBe(3);
      await reader.close();
      expect(snapshotOf(left)).toEqual(before);
    }, env));
});

describe("read-only mode", () => {
  it("creates no store, and reports that there is none", () =>
    onDisk(async (place) => {
      const isNone = { code: "STORAGE_UNAVAILABLE", details: { reason: "no-store", path: place.dataDir } };
      expect(await refusalOf(place.open({ readOnly: true }))).toMatchObject(isNone);
      expect(fs.existsSync(place.dataDir)).toBe(false);
      fs.mkdirSync(place.dataDir);
      expect(await refusalOf(place.open({ env: { WORKRAIL_READ_ONLY: "1" }, fallback: "memory" }))).toMatchObject(isNone);
      expect(fs.readdirSync(place.dataDir)).toEqual([]);
    }));

  it.each(KINDS)("of a custom or built-in storage ($kind), is a setting like any other", ({ at }) =>
    at(async (place) => {
      const writer = await place.open();
      await writer.saveCheckpoint({ sessionId: "s", context: { step: 1 } });
      await writer.close();
      const reader = await place.open({ args: ["--read-only"] });
      expect((await reader.loadCheckpoint({ sessionId: "s" })).context).toEqual({ step: 1 });
      expect((await reader.searchCheckpoints({ query: "step" })).hits).toHaveLength(1);
      expect((await refusalOf(reader.saveCheckpoint({ context: { step: 2 } }))).code).toBe("READ_ONLY");
      await reader.close();
    }),
  );

  it("reads a store with an older schema, and does not migrate it", () =>
    onDisk(async (place) => {
      await (await place.open()).close();
      const fixtures = new URL("../../sqlite-fs/test/fixtures/", import.meta.url);
      const [first = ""] = fs
        .readdirSync(fixtures)
        .filter((name) => fs.statSync(new URL(name, fixtures)).isDirectory())
        .toSorted();
      fs.rmSync(place.dataDir, { recursive: true });
      fs.cpSync(new URL(first, fixtures), place.dataDir, { recursive: true });
      const before = snapshotOf(place.dataDir);
      const reader = await place.open({ readOnly: true });
      expect((await reader.storeStatus()).checkpoints).toBeGreaterThan(0);
      await reader.close();
      expect(snapshotOf(place.dataDir)).toEqual(before);
    }));

  it("reads a store with a newer schema that is readable but not writable for this version", () =>
    onDisk(async (place) => {
      const writer = await place.open();
      await fill(writer);
      await writer.close();
      const database = new DatabaseSync(path.join(place.dataDir, "workrail.db"));
      database.exec("INSERT OR REPLACE INTO meta VALUES ('min_writer', 900), ('min_reader', 1); PRAGMA user_version = 900");
      database.close();
      expect(await refusalOf(place.open())).toMatchObject({ code: "UNSUPPORTED_VERSION", hint: expect.stringContaining("--read-only") });
      const reader = await place.open({ readOnly: true });
      expect((await reader.loadCheckpoint({ checkpointId: "c1" })).context).toMatchObject({ step: 1 });
      await reader.close();
    }));

  it("refuses a pending conversion, and creates no key for it", () =>
    onDisk(async (place) => {
      const writer = await place.open();
      await fill(writer);
      await writer.close();
      const before = snapshotOf(place.dataDir);
      const env = { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: KEY, WORKRAIL_READ_ONLY: "true" };
      expect(await refusalOf(place.open({ env }))).toMatchObject({ code: "READ_ONLY", details: { reason: "conversion-due" } });
      expect((await refusalOf(sealStore({ dataDir: place.dataDir, env }))).code).toBe("READ_ONLY");
      expect(snapshotOf(place.dataDir)).toEqual(before);
      expect(copies()).toEqual([]);
    }));

  it("refuses to replace the store by a backup, and to set anything except readOnly", () =>
    onDisk(async (place) => {
      const writer = await place.open();
      await fill(writer);
      const backup = path.join(path.dirname(place.dataDir), "backup");
      await writer.backup(backup);
      await writer.close();
      const env = { WORKRAIL_READ_ONLY: "true" };
      const { dataDir } = place;
      expect((await refusalOf(restoreBackup(backup, { dataDir, env, replace: true }))).code).toBe("READ_ONLY");
      expect(() => setSetting({ env, dataDir }, "maxDepth", "5")).toThrow(expect.objectContaining({ code: "READ_ONLY" }));
      setSetting({ env: {}, dataDir }, "readOnly", "true");
      const reader = await openWorkrail({ env: {}, dataDir });
      expect((await refusalOf(reader.saveCheckpoint({ context: {} }))).code).toBe("READ_ONLY");
      await reader.close();
      expect(setSetting({ env: {}, dataDir }, "readOnly", "false")).toMatchObject({ holds: { value: false } });
      await using ofBackup = await openWorkrail({ env, dataDir: backup });
      expect((await ofBackup.loadCheckpoint({ checkpointId: "c1" })).context).toMatchObject({ step: 1 });
    }));

  it("removes the copies of killed readers, and no others", () =>
    onDisk(async (place) => {
      const writer = await place.open();
      await writer.saveCheckpoint({ sessionId: "s", context: { step: 1 } });
      await writer.close();
      const reader = await place.open({ readOnly: true });
      const [copy = ""] = copies();
      // A process id that does not exist.
      const dead = copy.replace(`-${process.pid}-`, "-4194304999-");
      fs.mkdirSync(path.join(os.tmpdir(), dead, "1"), { recursive: true });
      const other = await place.open({ readOnly: true });
      expect(fs.existsSync(path.join(os.tmpdir(), dead))).toBe(false);
      expect(copies()).toHaveLength(2);
      await reader.close();
      await other.close();
    }));
});
