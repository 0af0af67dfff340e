import fs from "node:fs";
import path from "node:path";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { type FileSystem, nodeFileSystem } from "@workrail/blob-files";
import {
  CHECKPOINT_KINDS,
  type CheckpointId,
  type CheckpointRecord,
  cleanUp,
  type RemovalPorts,
  compactSession,
  emptyTrash,
  listTrash,
  removeCheckpoints,
  restoreFromTrash,
  type SessionId,
  type UpkeepPolicy,
} from "@workrail/core";
import { describe, expect, it } from "vitest";
import { silentLog } from "../src/silent-log.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";
import { Child } from "./child-process.ts";
import { FaultyDriver } from "./faulty-driver.ts";
import { growingContext } from "./growing-context.ts";
import { proveFiles } from "./prove-files.ts";
import { PATIENT, SESSION, type TestStore, withDirectory, withOpened, withStore } from "./test-store.ts";

const HUGE = Number.MAX_SAFE_INTEGER;
/** Policy that moves every unused session to the trash. */
const EVERYTHING: UpkeepPolicy = { retentionMs: 0, asideMs: HUGE, trashMs: HUGE, trashBytes: HUGE, quota: { above: HUGE, downTo: HUGE } };

function portsOf(store: TestStore): RemovalPorts {
  return { ...store.ports(), log: silentLog, storage: store.storage, clock: { now: () => new Date() } };
}

async function recordsOf({ storage }: TestStore): Promise<readonly CheckpointRecord[]> {
  return (await storage.catalog.list({ filter: { kinds: CHECKPOINT_KINDS }, limit: 10_000, offset: 0 })).records;
}

function blobsIn(dataDir: string): readonly string[] {
  return fs.globSync("contexts/*/*.json.gz", { cwd: dataDir });
}

it("a clean-up loses no concurrent saves of its sessions", () =>
  withDirectory(async (directory) => {
    const dataDir = path.join(directory, "data");
    const sessions = ["one", "two", "three"] as SessionId[];
    const children = [1, 2, 3].map((number) => Child.start({ type: "save", dataDir, writer: `writer ${number}`, sessions, most: 25 }));
    await withOpened(
      dataDir,
      async (store) => {
        const work = { isUnderWay: true };
        const lines = Promise.all(children.map((child) => child.done())).finally(() => {
          work.isUnderWay = false;
        });
        let moved = 0;
        while (work.isUnderWay) {
          const { removed } = await cleanUp(portsOf(store), EVERYTHING);
          moved += removed.length;
          await yieldToEventLoop();
        }
        expect(moved).toBeGreaterThan(0);
        const acknowledged = new Set((await lines).flat().map((line) => line.split(" ")[1]));
        const trashed = (await listTrash(store.storage)).map(({ record }) => record);
        const live = await recordsOf(store);
        expect([...trashed, ...live].map(({ id }) => id as string).toSorted()).toEqual([...acknowledged].map(String).toSorted());
        for (const sessionId of new Set(trashed.map((record) => record.sessionId))) await restoreFromTrash(portsOf(store), { sessionId });
        expect((await store.verify()).findings).toEqual([]);
        expect(proveFiles(dataDir).contexts.size).toBe(acknowledged.size);
      },
      PATIENT,
    );
  }));

describe("checkpoints that are stored as differences", () => {
  async function compacted(store: TestStore, kept: number): Promise<readonly CheckpointId[]> {
    const ids: CheckpointId[] = [];
    for (let number = 1; number <= 8; number++) {
      const tags = number === kept ? ["keep"] : [];
      ids.push((await store.save(growingContext("w", number), { tags, force: true })).record.id);
    }
    await store.compact();
    expect((await recordsOf(store)).filter(({ baseId }) => baseId !== null).length).toBeGreaterThan(3);
    return ids;
  }

  it("stay readable after their base was deleted, and free the base when they are removed", () =>
    withStore(async (store) => {
      const ids = await compacted(store, 3);
      await removeCheckpoints(portsOf(store), { sessionId: SESSION, permanently: true });
      expect((await recordsOf(store)).map(({ id }) => id)).toEqual([ids[2]]);
      expect((await store.load({ checkpointId: ids[2] })).context).toEqual(growingContext("w", 3));
      expect((await store.verify()).findings).toEqual([]);
      await removeCheckpoints(portsOf(store), { sessionId: SESSION, permanently: true, includeKept: true });
      expect(blobsIn(store.dataDir)).toEqual([]);
    }));

  it("come back exactly from the trash, also after a rebuild", () =>
    withStore(async (store) => {
      const ids = await compacted(store, 0);
      await removeCheckpoints(portsOf(store), { sessionId: SESSION });
      await store.rebuild();
      expect(await recordsOf(store)).toEqual([]);
      await restoreFromTrash(portsOf(store), { sessionId: SESSION });
      for (const [index, checkpointId] of ids.entries()) {
        expect((await store.load({ checkpointId })).context).toEqual(growingContext("w", index + 1));
      }
      await removeCheckpoints(portsOf(store), { sessionId: SESSION });
      await emptyTrash(portsOf(store));
      expect(blobsIn(store.dataDir)).toEqual([]);
    }));
});

/** Counts calls to the database and the file system. */
class Counter {
  calls = 0;
  readonly #driver = new FaultyDriver();

  constructor() {
    this.#driver.arm({ kind: "fails", when: () => this.#count() });
  }

  get parts() {
    const count = (): boolean => this.#count();
    const files = new Proxy(nodeFileSystem, {
      get(target, name: keyof FileSystem) {
        count();
        return target[name];
      },
    });
    return { openDatabase: this.#driver.open, fs: files };
  }

  async during(work: () => Promise<unknown>): Promise<number> {
    const before = this.calls;
    await work();
    return this.calls - before;
  }

  #count(): boolean {
    this.calls += 1;
    return false;
  }
}

/** Checkpoints that a session may hold: a hundred in `npm run test:faults`. Ten times as many are saved to it. */
const HELD = IS_LONG ? 100 : 20;
/** Contexts that take turns: any `HELD` saves in a row have the same ones. */
const CONTEXTS = HELD / 2;

it(`${10 * HELD} saves to a session that may hold ${HELD}: bounded bytes, bounded work a save, and all that is left is exact`, () => {
  const counter = new Counter();
  return withStore(
    async (store) => {
      const bytes: number[] = [];
      const saving: number[] = [];
      const compacting: number[] = [];
      for (let number = 1; number <= 10 * HELD; number++) {
        saving.push(
          await counter.during(async () => {
            await store.save(growingContext("w", number % CONTEXTS), { attributes: { number } });
            await store.idle();
          }),
        );
        compacting.push(await counter.during(() => compactSession(store.ports(), SESSION)));
        const { liveBytes } = await store.storage.catalog.usage();
        bytes.push(liveBytes);
      }
      const records = await recordsOf(store);
      expect(records).toHaveLength(HELD);
      for (const { id, attributes } of records) {
        const { context } = await store.load({ checkpointId: id });
        expect(context).toEqual(growingContext("w", Number(attributes["number"]) % CONTEXTS));
      }
      expect(Math.max(...bytes.slice(2 * HELD))).toBeLessThan(1.5 * Math.max(...bytes.slice(0, 2 * HELD)));
      expect(Math.max(...saving.slice(9 * HELD))).toBeLessThanOrEqual(Math.max(...saving.slice(HELD, 3 * HELD)));
      expect(Math.max(...compacting.slice(9 * HELD))).toBeLessThanOrEqual(2 * Math.max(...compacting.slice(2, 2 * HELD)));
      // A save that prunes removes one checkpoint: it makes not many more calls than a save that removes none.
      expect(Math.max(...saving.slice(HELD))).toBeLessThan(3 * Math.max(...saving.slice(2, HELD)));
    },
    { maxCheckpoints: HELD, ...counter.parts },
  );
});
