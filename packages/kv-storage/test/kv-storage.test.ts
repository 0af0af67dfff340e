import { describe, expect, it } from "vitest";
import { type BlobRef, type CheckpointId, type SessionFacts, type SessionId, WorkrailError } from "@workrail/core";
import { openMemoryStorage } from "@workrail/memory";
import { aRecord } from "@workrail/storage-conformance/builders";
import { storageInUse, type StorageInUse } from "@workrail/storage-conformance/harness";
import * as fc from "fast-check";
import type { KeyValues } from "../src/key-values.ts";
import { kvStorage, type KvStorageOptions } from "../src/kv-storage.ts";
import { mapKeyValues } from "./map-key-values.ts";

const S = "s" as SessionId;
const AT = new Date("2026-01-01T00:00:00.000Z");

async function openKv(keys: KeyValues, options?: KvStorageOptions): Promise<StorageInUse> {
  return storageInUse(await kvStorage(keys, options));
}

interface Into {
  readonly sessionId?: SessionId;
  readonly keepNewest?: number;
}

async function save(storage: StorageInUse, id: string, { sessionId = S, keepNewest }: Into = {}) {
  const checkpointId = id as CheckpointId;
  const blob = (await storage.blobs.put({ sessionId, checkpointId }, new TextEncoder().encode(id))) as BlobRef;
  const record = aRecord({ id: checkpointId, sessionId, blob, blobBytes: id.length });
  const event = { at: AT, action: "save", sessionId, checkpointId, agentId: undefined } as const;
  const append = { record, unlessHeadIs: undefined, expectedHead: undefined, keepNewest };
  return storage.catalog.commit({ append, audit: [event] });
}

async function idsIn(storage: StorageInUse): Promise<readonly string[]> {
  const { records } = await storage.catalog.list({ filter: {}, limit: 10_000, offset: 0 });
  return records.map(({ id }) => id).toReversed();
}

/** Everything that the port tells of a store. */
async function contentOf({ catalog }: StorageInUse): Promise<unknown> {
  const [page, trash, audit] = [
    await catalog.list({ filter: {}, limit: 1_000, offset: 0 }),
    await catalog.trash({ limit: 1_000 }),
    await catalog.auditLog({ first: "oldest" }),
  ];
  const sessions = [await catalog.session("s" as SessionId), await catalog.session("t" as SessionId)];
  // The two stores keep their blobs under different refs.
  return JSON.parse(JSON.stringify({ page, trash, audit, sessions }, (name, value: unknown) => (name === "blob" ? undefined : value)));
}

/** Key-values that count their calls, and in which a test can make a call wait or fail. */
class Watched {
  readonly values = new Map<string, Uint8Array>();
  readonly calls: string[] = [];
  before: (call: string, key: string) => unknown = () => undefined;
  after: (call: string, key: string) => unknown = () => undefined;

  keys(): KeyValues {
    const below = mapKeyValues(this.values);
    const watched = async <T>(call: string, key: string, work: () => Promise<T>): Promise<T> => {
      this.calls.push(call);
      await this.before(call, key);
      const result = await work();
      await this.after(call, key);
      return result;
    };
    return {
      get: (key) => watched("get", key, () => below.get(key)),
      putIfAbsent: (key, value) => watched("put", key, () => below.putIfAbsent(key, value)),
      delete: (key) => watched("delete", key, () => below.delete(key)),
      async *list(prefix) {
        yield* await watched("list", prefix, async () => below.list(prefix));
      },
    };
  }

  names(folder: string): readonly string[] {
    return [...this.values.keys()].filter((key) => key.startsWith(folder)).toSorted();
  }
}

describe("kvStorage", () => {
  it("saves with the same calls whatever the store holds", async () => {
    const watched = new Watched();
    const storage = await openKv(watched.keys());
    const costs: string[] = [];
    for (let count = 1; count <= 1_000; count++) {
      watched.calls.length = 0;
      await save(storage, `c${count}`);
      if ([10, 100, 1_000].includes(count)) costs.push(watched.calls.toSorted().join(" "));
    }
    expect(costs).toEqual(Array.from({ length: 3 }, () => "get get get put put"));
    await storage.close();
  });

  it("deletes entries that a snapshot covers, and opens from it", async () => {
    const watched = new Watched();
    const storage = await openKv(watched.keys());
    for (let count = 1; count <= 600; count++) await save(storage, `c${count}`, { keepNewest: 50 });
    const expected = await contentOf(storage);
    await storage.close();
    expect(watched.names("journal/").length).toBeLessThan(500);
    expect(watched.names("snapshot/")).toHaveLength(2);
    const again = await openKv(watched.keys());
    expect(await contentOf(again)).toEqual(expected);
    await again.close();
  });

  it("gives a later checkpoint a later place after the newest one was removed and the store opened from a snapshot", async () => {
    const values = new Map<string, Uint8Array>();
    const one = await openKv(mapKeyValues(values));
    for (const id of ["a", "b", "c"]) await save(one, id);
    const move = { sessionId: S, checkpoints: ["c" as CheckpointId], from: "live", to: "nowhere", at: AT, reason: "test" } as const;
    await one.catalog.commit({ move, audit: [] });
    await one.purge?.();
    const other = await openKv(mapKeyValues(values));
    await save(other, "d");
    await save(one, "e");
    expect(await idsIn(one)).toEqual(["a", "b", "d", "e"]);
    expect(await contentOf(one)).toEqual(await contentOf(other));
    await one.close();
    await other.close();
  });

  it("holds nothing of removed rows after a purge", async () => {
    const watched = new Watched();
    const storage = await openKv(watched.keys());
    await storage.catalog.commit({ tags: { sessionId: S, add: ["x"], remove: [] }, audit: [] });
    await save(storage, "a");
    await storage.catalog.commit({ tags: { sessionId: S, add: ["secret-tag"], remove: [] }, audit: [] });
    await storage.catalog.commit({ tags: { sessionId: S, add: [], remove: ["secret-tag"] }, audit: [] });
    await storage.purge?.();
    const texts = [...watched.values.values()].map((value) => new TextDecoder().decode(value));
    expect(texts.filter((text) => text.includes("secret-tag"))).toEqual([]);
    expect(await idsIn(storage)).toEqual(["a"]);
    await storage.close();
  });
});

describe("a process that slept", () => {
  /** Opens a store twice, and has the first opener sleep before or after one call while the second makes many changes. */
  async function asleep(when: "before" | "after", call: "get" | "put") {
    const watched = new Watched();
    const [sleeper, other] = [await openKv(watched.keys()), await openKv(mapKeyValues(watched.values))];
    await save(sleeper, "first");
    let isAsleep = false;
    watched[when] = async (called, key) => {
      if (isAsleep || called !== call || !key.startsWith("journal/")) return;
      isAsleep = true;
      for (let count = 1; count <= 400; count++) await save(other, `other-${count}`, { sessionId: "t" as SessionId, keepNewest: 10 });
      await other.purge?.();
    };
    return { watched, sleeper, other };
  }

  it.each([
    ["before", "get"],
    ["after", "get"],
    ["before", "put"],
    ["after", "put"],
  ] as const)("loses nothing when it slept %s a %s of its save", async (when, call) => {
    const { sleeper, other } = await asleep(when, call);
    expect(await save(sleeper, "second")).toMatchObject({ status: "committed", record: { sequence: 2 } });
    expect((await idsIn(other)).filter((id) => !id.startsWith("other"))).toEqual(["first", "second"]);
    expect(await contentOf(sleeper)).toEqual(await contentOf(other));
    expect(await save(sleeper, "third")).toMatchObject({ record: { sequence: 3 } });
    await sleeper.close();
    await other.close();
  });

  it("reads what others wrote and purged meanwhile", async () => {
    const { sleeper, other } = await asleep("before", "get");
    expect(await idsIn(sleeper)).toHaveLength(11);
    await sleeper.close();
    await other.close();
  });
});

describe("a failed put of an entry", () => {
  it.each(["before", "after"] as const)("is found out when the call failed %s the put", async (when) => {
    const watched = new Watched();
    const storage = await openKv(watched.keys());
    await save(storage, "first");
    let failures = 1;
    watched[when] = (call, key) => {
      if (call === "put" && key.startsWith("journal/") && failures-- > 0) throw new Error("no answer");
    };
    const outcome = await save(storage, "second").catch((error: unknown) => error);
    expect(outcome).toMatchObject(when === "after" ? { status: "committed" } : { code: "STORAGE_UNAVAILABLE", details: {} });
    expect(await idsIn(storage)).toEqual(when === "after" ? ["first", "second"] : ["first"]);
    await storage.close();
  });

  it("has an unknown outcome while nothing can be read", async () => {
    const watched = new Watched();
    const storage = await openKv(watched.keys());
    await save(storage, "first");
    let isDown = false;
    watched.after = (call, key) => {
      isDown ||= call === "put" && key.startsWith("journal/");
      if (isDown) throw new Error("no answer");
    };
    await expect(save(storage, "second")).rejects.toMatchObject({ details: { outcome: "unknown" } });
    watched.after = () => undefined;
    expect(await idsIn(storage)).toEqual(["first", "second"]);
    await storage.close();
  });
});

describe("a damaged journal", () => {
  it("is lost until it is rebuilt", async () => {
    const watched = new Watched();
    const storage = await openKv(watched.keys());
    const first = await save(storage, "first");
    await save(storage, "second");
    await storage.close();
    watched.values.set(watched.names("journal/").at(-1) as string, new TextEncoder().encode("{"));
    const again = await openKv(watched.keys());
    await expect(idsIn(again)).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "damaged" } });
    expect(await again.recovery.needsRebuild()).toBe(true);
    const facts: SessionFacts[] = [];
    for await (const each of again.recovery.sessionFacts()) facts.push(each);
    expect(facts.map(({ sessionId }) => sessionId)).toEqual([S]);
    const event = { at: AT, action: "rebuild", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
    const records = first.status === "committed" && first.record !== undefined ? [first.record] : [];
    await again.locking.exclusively(() => again.recovery.refill(records, facts, event));
    expect(await again.recovery.needsRebuild()).toBe(false);
    expect(await idsIn(again)).toEqual(["first"]);
    const blob = records[0]?.blob as BlobRef;
    expect(new TextDecoder().decode(await again.blobs.get(blob))).toBe("first");
    await again.close();
  });
});

describe("blobs", () => {
  it("are never named by a record when their key may be deleted", async () => {
    const watched = new Watched();
    const [one, other] = [await openKv(watched.keys()), await openKv(mapKeyValues(watched.values))];
    const key = { sessionId: S, checkpointId: "left" as CheckpointId };
    const blob = (await other.blobs.put(key, new Uint8Array([1, 2]))) as BlobRef;
    const [left] = watched.names("blob/");
    const append = {
      record: aRecord({ id: key.checkpointId, sessionId: S, blob }),
      unlessHeadIs: undefined,
      expectedHead: undefined,
      keepNewest: undefined,
    };
    expect((await one.catalog.commit({ append, audit: [] })).status).toBe("committed");
    watched.values.delete(left as string);
    expect(await other.blobs.get(blob)).toEqual(new Uint8Array([1, 2]));
    await one.close();
    await other.close();
  });

  it("that a replacement could not delete are removed as abandoned", async () => {
    const watched = new Watched();
    const storage = await openKv(watched.keys());
    const outcome = await save(storage, "a");
    if (outcome.status !== "committed" || outcome.record === undefined) throw new Error(outcome.status);
    const { record } = outcome;
    watched.before = (call, key) => {
      if (call === "delete" && key.startsWith("blob/")) throw new Error("no answer");
    };
    const becomes = { blobBytes: 3, baseId: null, keyId: null };
    const write = () => storage.blobs.replace(record.blob, new Uint8Array([1, 2, 3]));
    expect(await storage.catalog.replaceBlob(record, becomes, write)).toBe(true);
    watched.before = () => undefined;
    expect(watched.names("blob/")).toHaveLength(2);
    expect(await storage.blobs.removeAbandoned()).toBe(1);
    expect(await storage.blobs.get(record.blob)).toEqual(new Uint8Array([1, 2, 3]));
    expect(watched.names("blob/")).toHaveLength(1);
    await storage.close();
  });
});

describe("a lease", () => {
  it("of a dead process blocks no other after it expires", async () => {
    let now = AT.getTime();
    const clock = { now: () => new Date(now) };
    const values = new Map<string, Uint8Array>();
    await openKv(mapKeyValues(values), { clock, leaseMs: 60_000 });
    now += 60_001;
    const storage = await openKv(mapKeyValues(values), { clock, leaseMs: 60_000 });
    expect(await storage.locking.exclusively(async () => "alone")).toBe("alone");
    await storage.close();
    expect([...values.keys()].filter((key) => /^(open|alone)\//u.test(key))).toEqual([]);
  });

  it("that ran out while its process slept is taken again before work", async () => {
    let now = AT.getTime();
    const clock = { now: () => new Date(now) };
    const watched = new Watched();
    const storage = await openKv(watched.keys(), { clock, leaseMs: 60_000 });
    const before = watched.names("open/");
    now += 60_001;
    await storage.locking.shared(async () => expect(watched.names("open/")).not.toEqual(before));
    await storage.close();
  });

  it("that cannot be deleted keeps no store from closing", async () => {
    const watched = new Watched();
    const storage = await openKv(watched.keys());
    watched.before = () => {
      throw new WorkrailError("STORAGE_UNAVAILABLE", "no answer");
    };
    await expect(storage.close()).resolves.toBeUndefined();
  });
});

const IDS = Array.from({ length: 12 }, (_, index) => `c${index}`);
const sessionOf = (id: string): SessionId => (Number(id.slice(1)) % 3 === 0 ? "t" : "s") as SessionId;
const someIds = fc.subarray(IDS, { maxLength: 3 });
const operations = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("save" as const), id: fc.constantFrom(...IDS), keepNewest: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("move" as const), ids: someIds, way: fc.constantFrom("trash", "restore", "delete") }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("tag" as const), ids: someIds, tag: fc.constantFrom("a", "b", "keep") }) },
);
type Operation = typeof operations extends fc.Arbitrary<infer T> ? T : never;

/** Makes one change. Its number in the audit log tells the order in which the changes were made. */
async function operate(storage: StorageInUse, operation: Operation, number: number): Promise<unknown> {
  const session = operation.do === "save" ? sessionOf(operation.id) : sessionOf(operation.ids[0] ?? "c1");
  const row = { at: AT, action: "pin", sessionId: session, checkpointId: undefined, agentId: undefined, reason: String(number) } as const;
  if (operation.do === "tag") {
    return storage.catalog.commit({ tags: { sessionId: session, add: [operation.tag], remove: ["a"] }, audit: [row] });
  }
  if (operation.do === "move") {
    const places = {
      trash: { from: "live", to: "trash" },
      restore: { from: "trash", to: "live" },
      delete: { from: "live", to: "nowhere" },
    } as const;
    const checkpoints = operation.ids.filter((id) => sessionOf(id) === session) as CheckpointId[];
    const move = { sessionId: session, checkpoints, at: AT, reason: "test", ...places[operation.way] };
    return storage.catalog.commit({ move, audit: [row] });
  }
  const checkpointId = operation.id as CheckpointId;
  const blob = (await storage.blobs.put({ sessionId: session, checkpointId }, new Uint8Array(number + 1))) as BlobRef;
  const record = aRecord({ id: checkpointId, sessionId: session, blob, blobBytes: number + 1 });
  const append = { record, unlessHeadIs: undefined, expectedHead: undefined, keepNewest: operation.keepNewest };
  return storage.catalog.commit({ append, audit: [row] });
}

function comparable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, each: unknown) => (name === "blob" ? undefined : each)) ?? "null");
}

it("agrees with the tables in memory, however the calls of two openers interleave", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operations, { minLength: 2, maxLength: 14 }), fc.scheduler(), async (history, scheduler) => {
      const values = new Map<string, Uint8Array>();
      const below = mapKeyValues(values);
      const keys: KeyValues = {
        ...below,
        get: (key) => scheduler.schedule(Promise.resolve(), "get").then(() => below.get(key)),
        putIfAbsent: (key, value) => scheduler.schedule(Promise.resolve(), "put").then(() => below.putIfAbsent(key, value)),
      };
      const openers = await scheduler.waitFor(Promise.all([openKv(keys), openKv(keys)]));
      const outcomes = await scheduler.waitFor(
        Promise.all(history.map((operation, number) => operate(openers[number % 2] as StorageInUse, operation, number))),
      );
      const order = (await scheduler.waitFor(openers[0].catalog.auditLog({ actions: ["pin"], first: "oldest" }))).map(({ reason }) =>
        Number(reason),
      );
      const memory = storageInUse(openMemoryStorage());
      for (const number of order) {
        expect(comparable(await operate(memory, history[number] as Operation, number))).toEqual(comparable(outcomes[number]));
      }
      for (const opener of openers) expect(await scheduler.waitFor(contentOf(opener))).toEqual(await contentOf(memory));
      await scheduler.waitFor(Promise.all(openers.map((opener) => opener.close())));
    }),
    { numRuns: 150 },
  );
});
