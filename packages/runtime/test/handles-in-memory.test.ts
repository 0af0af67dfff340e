import { gzipCodec } from "@workrail/codecs";
import {
  ALL,
  BackgroundQueue,
  chained,
  type CheckpointId,
  DEFAULT_LIMITS,
  issueHandle,
  type Limits,
  type LoadPorts,
  saveAside,
  saveCheckpoint,
  type SavePorts,
  type SessionId,
  type ChainedStorage,
  findCheckpoint,
} from "@workrail/core";
import { classifierOf, SteppingClock } from "@workrail/storage-conformance/builders";
import { openMemoryStorage } from "@workrail/memory";
import { describe, expect, it } from "vitest";
import { nodeDigests, randomIds, silentLog } from "../src/environment.ts";
import { RetainedMemory } from "../src/fallback/retained-memory.ts";
import { standInStorage } from "../src/fallback/stand-in-storage.ts";
import { takeOver } from "../src/fallback/take-over.ts";

const SESSION = "session" as SessionId;
const clock = new SteppingClock();

function portsOf(storage: ChainedStorage, limits: Partial<Limits> = {}): SavePorts & LoadPorts {
  const given = {
    classifier: classifierOf({}),
    codec: gzipCodec,
    digests: nodeDigests,
    ids: randomIds,
    clock,
    log: silentLog,
    onLoaded: () => undefined,
  };
  const background = new BackgroundQueue(silentLog);
  return { ...storage, ...given, background, limits: { ...DEFAULT_LIMITS, ...limits }, writer: "workrail/test" };
}

function aStandIn() {
  const raw = chained(openMemoryStorage(), (text) => nodeDigests.sha256(text));
  const disk = raw;
  const memory = new RetainedMemory();
  const unbounded = { maxAsides: ALL, maxAsideBytes: ALL };
  const standIn = portsOf(
    chained(
      standInStorage(memory, async () => raw),
      (text) => nodeDigests.sha256(text),
    ),
    unbounded,
  );
  return { raw, disk, memory, standIn };
}

describe("handles while memory replaces the disk", () => {
  it("are valid for asides and checkpoints in memory, and later on the disk, however many asides it has", async () => {
    const { disk, memory, standIn } = aStandIn();
    const limits = { maxAsides: 1, maxAsideBytes: 1_000 };
    await saveAside(portsOf(disk, limits), { sessionId: SESSION, context: { on: "the disk" } });
    const saved = await saveCheckpoint(standIn, { sessionId: SESSION, context: { step: 1 } });
    const aside = await saveAside(standIn, { sessionId: SESSION, context: { aside: 1 } });
    const handle = await issueHandle(standIn, { checkpointId: saved.record.id });
    expect(memory.holds(aside.record.id)).toBe(true);
    expect((await saveAside(standIn, { sessionId: SESSION, context: { aside: 1 } })).record.id).toBe(aside.record.id);
    expect((await findCheckpoint(standIn.catalog, saved.record.id))?.shieldedUntil).toEqual(handle?.validUntil);
    expect(await takeOver(portsOf(disk, limits), memory)).toMatchObject({ checkpoints: 2 });
    expect(memory.holds(aside.record.id)).toBe(false);
    expect(await findCheckpoint(disk.catalog, aside.record.id)).toMatchObject({ kind: "aside", shieldedUntil: aside.validUntil });
    expect((await findCheckpoint(disk.catalog, saved.record.id))?.shieldedUntil).toEqual(handle?.validUntil);
  });

  it("are extended on the disk for checkpoints already stored", async () => {
    const { disk, memory, standIn } = aStandIn();
    const context = { aside: 1 };
    const before = await saveAside(portsOf(disk), { sessionId: SESSION, context });
    clock.set(new Date(before.validUntil.getTime() + 1));
    const { id: checkpointId } = before.record;
    const during = await saveAside(portsOf(memory.storage), { sessionId: SESSION, context });
    await takeOver(portsOf(disk), memory);
    expect(during.validUntil.getTime()).toBeGreaterThan(before.validUntil.getTime());
    expect((await findCheckpoint(standIn.catalog, checkpointId))?.shieldedUntil).toEqual(during.validUntil);
  });

  it("stay valid for the saves left in memory when the disk fails again midway", async () => {
    const { disk, memory, standIn } = aStandIn();
    const asides = [];
    for (const step of [1, 2]) asides.push(await saveAside(standIn, { sessionId: SESSION, context: { step } }));
    const failing = portsOf(disk);
    let puts = 0;
    const put: ChainedStorage["blobs"]["put"] = (key, bytes, options) => {
      puts += 1;
      return puts === 2 ? Promise.reject(new Error("the disk is gone")) : disk.blobs.put(key, bytes, options);
    };
    const blobs = new Proxy(disk.blobs, { get: (on, name) => (name === "put" ? put : bound(on, name)) });
    const failure = expect.objectContaining({ message: "the disk is gone" });
    expect(await takeOver({ ...failing, blobs }, memory)).toMatchObject({ checkpoints: 1, failure });
    const left = asides[1]?.record.id as CheckpointId;
    expect(memory.holds(left)).toBe(true);
    expect((await findCheckpoint(standIn.catalog, left))?.shieldedUntil).toEqual(asides[1]?.validUntil);
  });

  it("are issued for checkpoints on the disk only if the disk stores the promise", async () => {
    const { raw, disk, standIn } = aStandIn();
    const { record } = await saveCheckpoint(portsOf(disk), { sessionId: SESSION, context: { step: 1 } });
    const handle = await issueHandle(standIn, { checkpointId: record.id });
    expect((await findCheckpoint(disk.catalog, record.id))?.shieldedUntil).toEqual(handle?.validUntil);
    const other = await saveCheckpoint(portsOf(disk), { sessionId: SESSION, context: { step: 2 } });
    raw.catalog.change = () => Promise.reject(new Error("read only"));
    await expect(issueHandle(standIn, { checkpointId: other.record.id })).rejects.toThrow("read only");
  });
});

function bound(on: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(on, name);
  return typeof value === "function" ? (value.bind(on) as unknown) : value;
}
