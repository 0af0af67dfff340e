import type { BlobRef, CheckpointId, Context, SessionId } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { noise, same } from "./bytes.ts";
import { proveAudit, proveCheckpoints, proveStore } from "./prove-store.ts";
import type { StorageHarness } from "./harness.ts";
import { provided, withStore } from "./store-under-test.ts";
import { randomIds } from "./environment.ts";
import { Workbench } from "./workbench.ts";
import type { StorageInUse } from "./storage-in-use.ts";

/** Tests the replacement of blobs: in the blob store alone, and by core's compaction on the whole storage. */
export function describeCompaction(harness: StorageHarness): void {
  describe(`${harness.name}: compaction`, { timeout: 120_000 }, () => {
    describeReplace(harness);
    describeCompacting(harness);
  });
}

function describeReplace(harness: StorageHarness): void {
  describe("BlobStore.replace", () => {
    it.each([
      ["more", 5_000],
      ["fewer", 3],
      ["no", 0],
    ])("replaces a blob by %s bytes, visible at once", (_, length) =>
      withStore(harness, async ({ storage: { blobs } }) => {
        const [ref, other] = [await put(blobs, 100), await put(blobs, 100)];
        const [bytes, others] = [noise(length), await blobs.get(other)];
        await blobs.replace(ref, bytes);
        expect(same(await blobs.get(ref), bytes)).toBe(true);
        expect(same(await blobs.get(other), others ?? new Uint8Array())).toBe(true);
        const listed = [];
        for await (const blob of blobs.list()) listed.push(blob);
        expect(listed).toHaveLength(2);
        expect(listed).toContainEqual({ ref, sizeBytes: length });
      }),
    );

    it("is not affected by later changes to the given buffer", () =>
      withStore(harness, async ({ storage: { blobs } }) => {
        const ref = await put(blobs, 100);
        const bytes = noise(50);
        const expected = Uint8Array.from(bytes);
        await blobs.replace(ref, bytes);
        bytes.fill(1);
        expect(same(await blobs.get(ref), expected)).toBe(true);
      }));

    it("shows concurrent readers the old bytes or the new bytes, whole", () =>
      withStore(harness, async ({ storage: { blobs } }) => {
        const versions = [noise(200_000), noise(100_000)] as const;
        const ref = await put(blobs, 1);
        await blobs.replace(ref, versions[0]);
        const replacement = { isUnderWay: true };
        const replacing = (async () => {
          for (let time = 1; time <= 20; time++) await blobs.replace(ref, versions[time % 2] as Uint8Array);
        })().finally(() => {
          replacement.isUnderWay = false;
        });
        while (replacement.isUnderWay) {
          const seen = await blobs.get(ref);
          expect(versions.some((version) => same(seen, version))).toBe(true);
          await new Promise((resolve) => setImmediate(resolve));
        }
        await replacing;
      }));

    provided(harness.capabilities.persistent, "durable bytes: closing forgets the store", () => {
      it("is durable", () =>
        withStore(harness, async (store) => {
          const ref = await put(store.storage.blobs, 100);
          const bytes = noise(50);
          await store.storage.blobs.replace(ref, bytes);
          const { blobs } = await store.reopen();
          expect(same(await blobs.get(ref), bytes)).toBe(true);
        }));
    });
  });
}

function describeCompacting(harness: StorageHarness): void {
  describe("core's compaction", () => {
    it("shrinks older checkpoints, and each still loads exactly, also after a rebuild", () =>
      withStore(harness, async ({ storage }) => {
        const sessionId = randomIds.sessionId();
        const bench = new Workbench(storage);
        const saved = await grow(bench, sessionId, { from: 1, to: 12 });
        const before = await storage.catalog.session(sessionId);
        expect(await bench.compact(sessionId)).toBeGreaterThanOrEqual(8);
        expect((await storage.catalog.session(sessionId))?.totalSizeBytes).toBeLessThan((before?.totalSizeBytes ?? 0) / 2);
        const compacted = await proveStore(storage);
        expect([...compacted.texts.values()]).toEqual(saved);
        expect(compacted.records.slice(-2).map(({ baseId }) => baseId)).toEqual([null, null]);
        for (const { baseId, id } of compacted.records) expect((await bench.load({ checkpointId: id })).record.baseId).toBe(baseId);
        await bench.collectGarbage();
        await bench.rebuild();
        const rebuilt = await proveStore(storage);
        expect([...rebuilt.texts]).toEqual([...compacted.texts]);
        expect(rebuilt.records.map(({ baseId, blobBytes }) => [baseId, blobBytes])).toEqual(
          compacted.records.map(({ baseId, blobBytes }) => [baseId, blobBytes]),
        );
      }));

    it("stores interleaved series and forks as compactly as one line", () =>
      withStore(harness, async ({ storage }) => {
        const bench = new Workbench(storage);
        const names = ["graph", "search", "plan"] as const;
        const texts = new Map(names.map((name) => [name, Buffer.from(noise(9_000)).toString("base64")]));
        type Step = { readonly name: (typeof names)[number]; readonly step: number; readonly parentId?: CheckpointId | null };
        const save = async (sessionId: SessionId, { name, step, parentId }: Step) => {
          const context = { text: texts.get(name) ?? "", step, name };
          const { record } = await bench.save({ sessionId, context, parentId, attributes: { series: name } });
          return record.id;
        };
        const line = randomIds.sessionId();
        for (let step = 0; step < 8; step++) await save(line, { name: "graph", step });
        const mixed = randomIds.sessionId();
        const latest = new Map<string, CheckpointId>();
        for (let step = 0; step < 24; step++) {
          const name = names[step % 3] as (typeof names)[number];
          // Each line of a series begins anew after a while, as that of a subgraph does, and the graph forks.
          const parentId = step % 9 < 3 ? null : (latest.get(name) ?? null);
          const id = await save(mixed, { name, step, parentId });
          if (step % 4 !== 3) latest.set(name, id);
        }
        for (const sessionId of [line, mixed]) await bench.compact(sessionId);
        const { records } = await proveStore(storage);
        const whole = (sessionId: SessionId): number =>
          records.filter((each) => each.sessionId === sessionId && each.baseId === null).length;
        expect([whole(line), whole(mixed)]).toEqual([2, 6]);
        await bench.rebuild();
        await proveStore(storage);
      }));

    it("works during concurrent saves and removals in the same session", () =>
      withStore(harness, async ({ storage }) => {
        const sessionId = randomIds.sessionId();
        const bench = new Workbench(storage, { limits: { maxCheckpoints: 6 } });
        const saving = grow(bench, sessionId, { from: 1, to: 30 });
        const saves = { areUnderWay: true };
        void saving.finally(() => {
          saves.areUnderWay = false;
        });
        while (saves.areUnderWay) {
          await Promise.all([bench.compact(sessionId), bench.compact(sessionId)]);
          // A compaction without work does not wait for anything.
          await new Promise((resolve) => setImmediate(resolve));
        }
        const saved = await saving;
        await bench.compact(sessionId);
        await bench.idle();
        expect(bench.backgroundFailures).toEqual([]);
        const { records, texts } = await proveCheckpoints(storage, { sessionId });
        await proveAudit(storage);
        expect([...texts.values()]).toEqual(saved.slice(-6));
        expect(records.slice(0, -2).map(({ baseId }) => baseId)).toEqual(records.slice(1, -1).map(({ id }) => id));
        await bench.collectGarbage();
        const blobs = [];
        for await (const blob of storage.blobs.list()) blobs.push(blob);
        expect(blobs).toHaveLength(6);
      }));

    it("keeps a delta readable after its base is removed", () =>
      withStore(harness, async ({ storage }) => {
        const sessionId = randomIds.sessionId();
        const bench = new Workbench(storage, { limits: { maxCheckpoints: 2 } });
        // Pruning by number spares project checkpoints, so it removes the newer checkpoint instead of this one.
        const kept = await bench.save({ sessionId, context: contextAt(1), kind: "project" });
        await grow(bench, sessionId, { from: 2, to: 3 });
        expect(await bench.compact(sessionId)).toBe(1);
        await grow(bench, sessionId, { from: 4, to: 6 });
        await bench.idle();
        const text = JSON.stringify(contextAt(1));
        expect((await bench.load({ checkpointId: kept.record.id })).contextText()).toBe(text);
        await bench.compact(sessionId);
        await bench.collectGarbage();
        expect((await bench.load({ checkpointId: kept.record.id })).contextText()).toBe(text);
        await bench.rebuild();
        expect((await bench.load({ checkpointId: kept.record.id })).contextText()).toBe(text);
        expect((await proveStore(storage)).records).toHaveLength(3);
      }));
  });
}

/** Saves contexts and returns the JSON of each. */
async function grow(
  bench: Workbench,
  sessionId: SessionId,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<string[]> {
  const saved: string[] = [];
  for (let step = from; step <= to; step++) {
    await bench.save({ sessionId, context: contextAt(step) });
    saved.push(JSON.stringify(contextAt(step)));
  }
  return saved;
}

/** Context that is large enough for a delta to pay. */
function contextAt(step: number): Context {
  const history = Array.from({ length: step + 30 }, (_, index) => ({
    index,
    observation: `what was seen in step ${index}, told at length`,
  }));
  return { goal: "get it done", step, history, last: history.at(-1)?.observation ?? "" };
}

async function put(blobs: StorageInUse["blobs"], length: number): Promise<BlobRef> {
  const ref = await blobs.put({ sessionId: randomIds.sessionId(), checkpointId: randomIds.checkpointId() }, noise(length));
  if (ref === undefined) throw new Error("A put without ifAbsent answered that there was a blob already.");
  return ref;
}
