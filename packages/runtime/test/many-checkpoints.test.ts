import fs from "node:fs";
import path from "node:path";
import { describe, expect, expectTypeOf, it } from "vitest";
import { KINDS, onDisk, refusalOf } from "./stores.ts";

async function idsIn(found: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of found) ids.push(id);
  return ids;
}

describe.each(KINDS)("many checkpoints in $kind", ({ at }) => {
  it("are yielded newest first, without a limit", () =>
    at(async (place) => {
      await using workrail = await place.open({ settings: { maxCheckpoints: 300 } });
      const saved: string[] = [];
      for (let step = 0; step < 230; step += 1) {
        saved.push((await workrail.saveCheckpoint({ sessionId: "s", context: { step } })).checkpointId);
      }
      await workrail.saveCheckpoint({ sessionId: "other", context: { step: "other" } });
      expect(await idsIn(workrail.eachCheckpoint({ sessionId: "s" }))).toEqual(saved.toReversed());
      expect(await idsIn(workrail.eachCheckpoint({ project: null }))).toHaveLength(231);
    }));

  it("are neither skipped nor repeated while others are saved and removed", () =>
    at(async (place) => {
      await using workrail = await place.open({ settings: { maxCheckpoints: 1_000 } });
      const saved: string[] = [];
      for (let step = 0; step < 250; step += 1) {
        saved.push((await workrail.saveCheckpoint({ sessionId: "s", context: { step } })).checkpointId);
      }
      const seen: string[] = [];
      for await (const { id } of workrail.eachCheckpoint({ sessionId: "s" })) {
        seen.push(id);
        if (seen.length % 50 !== 0) continue;
        await workrail.saveCheckpoint({ sessionId: "s", context: { later: seen.length } });
        await workrail.deleteCheckpoint({ checkpointId: id });
      }
      expect(seen).toEqual(saved.toReversed());
    }));

  it("are loaded together, in the order of the given ids, without the missing ones", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const first = await workrail.saveCheckpoint({ sessionId: "s", context: { step: 1 } });
      const second = await workrail.saveCheckpoint({ sessionId: "t", context: { step: 2 } });
      const { checkpoints, failed } = await workrail.loadCheckpoints({
        ids: [second.checkpointId, "missing", first.checkpointId, second.checkpointId],
      });
      expect(checkpoints.map(({ context }) => context)).toEqual([{ step: 2 }, { step: 1 }]);
      expect(failed).toMatchObject([{ checkpointId: "missing", error: { code: "CHECKPOINT_NOT_FOUND" } }]);
    }));

  it("are loaded byte for byte, although most are stored as deltas", () =>
    at(async (place) => {
      const texts = Array.from({ length: 12 }, (_, step) => `{"b":${step},"a":${JSON.stringify("word ".repeat(1_000))},"list":[1,2.50]}`);
      const store = await place.open();
      const ids: string[] = [];
      for (const context of texts) ids.push((await store.saveCheckpoint({ sessionId: "s", context })).checkpointId);
      await store.close();
      await using workrail = await place.open();
      const wanted = [ids[3], ids[11], "missing", ids[0], ids[7], ids[3]].map(String);
      const { checkpoints, failed } = await workrail.loadTexts({ ids: wanted });
      expect(checkpoints.map(({ checkpointId }) => checkpointId)).toEqual([ids[3], ids[11], ids[0], ids[7]]);
      const written = (step: number): string => JSON.stringify(JSON.parse(String(texts[step])));
      expect(checkpoints.map(({ text }) => text)).toEqual([3, 11, 0, 7].map(written));
      expect(checkpoints[0]?.metadata).toMatchObject({ id: ids[3], sessionId: "s", parentId: ids[2] });
      expect(failed).toMatchObject([{ checkpointId: "missing", error: { code: "CHECKPOINT_NOT_FOUND" } }]);
    }));

  it("have side records, which are loaded, pruned and trashed with them, and not counted", () =>
    at(async (place) => {
      await using workrail = await place.open({ settings: { maxCheckpoints: 2 } });
      const bytes = Uint8Array.of(0, 255, 7);
      const ids: string[] = [];
      for (let step = 0; step < 3; step++) {
        const { checkpointId, pruned } = await workrail.saveCheckpoint({ sessionId: "s", context: { step } });
        await workrail.appendRecords({ checkpointId, records: [{ key: "of", bytes, ifAbsent: true }] });
        ids.push(checkpointId);
        expect(pruned).toBe(step === 2 ? 1 : undefined);
      }
      const { checkpoints, failed } = await workrail.loadTexts({ ids, withRecords: true });
      expect(checkpoints.map(({ checkpointId, records }) => [checkpointId, records])).toEqual(
        ids.slice(1).map((id) => [id, [{ key: "of", bytes }]]),
      );
      expect(failed).toMatchObject([{ checkpointId: ids[0] }]);
      await workrail.cleanUp({ sessionId: "s" });
      expect(await workrail.listTrash()).toHaveLength(2);
      await workrail.restoreFromTrash({ sessionId: "s" });
      const restored = await workrail.loadTexts({ ids: ids.slice(1), withRecords: true });
      expect(restored.checkpoints.map(({ records }) => records?.length)).toEqual([1, 1]);
      expect((await workrail.findCheckpoints({ sessionId: "s" })).total).toBe(2);
      await expect(workrail.appendRecords({ checkpointId: "missing", records: [{ key: "a", bytes }] })).rejects.toMatchObject({
        code: "CHECKPOINT_NOT_FOUND",
      });
    }));

  it("name no dropped keys with reportsDropped: false", () =>
    at(async (place) => {
      await using workrail = await place.open();
      await workrail.saveCheckpoint({ sessionId: "s", context: { step: 1, plan: "a" } });
      const told = await workrail.saveCheckpoint({ sessionId: "s", context: { step: 2 } });
      expect(told.droppedKeys).toEqual(["plan"]);
      await workrail.saveCheckpoint({ sessionId: "s", context: { step: 3, plan: "b" } });
      const untold = await workrail.saveCheckpoint({ sessionId: "s", context: { step: 4 }, reportsDropped: false });
      expect(untold.droppedKeys).toBeUndefined();
    }));
});

it("names a damaged checkpoint, and loads the others", () =>
  onDisk(async (place) => {
    const store = await place.open();
    const damaged = await store.saveCheckpoint({ sessionId: "s", context: { step: 1 } });
    const sound = await store.saveCheckpoint({ sessionId: "s", context: { step: 2 } });
    const ids = [damaged.checkpointId, sound.checkpointId];
    await store.close();
    fs.writeFileSync(path.join(place.dataDir, damaged.blobPath), "no longer a checkpoint");
    await using workrail = await place.open();
    const { checkpoints, failed } = await workrail.loadCheckpoints({ ids });
    expect(checkpoints.map(({ context }) => context)).toEqual([{ step: 2 }]);
    expect(failed).toMatchObject([{ checkpointId: ids[0], error: { code: "CHECKPOINT_CORRUPT" } }]);
  }));

it("refuses too many ids, and invalid ids", () =>
  onDisk(async (place) => {
    await using workrail = await place.open();
    const many = Array.from({ length: 1_001 }, (_, number) => `id-${number}`);
    for (const ids of [many, "cp-1" as never, [1 as never]]) {
      expect(await refusalOf(workrail.loadCheckpoints({ ids }))).toMatchObject({ code: "INVALID_INPUT", details: { field: "ids" } });
    }
  }));

it("returns the state under the type that the caller names", () =>
  onDisk(async (place) => {
    interface State {
      readonly step: number;
    }
    await using workrail = await place.open();
    const state: State = { step: 7 };
    const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "s", context: state });
    const { context } = await workrail.loadCheckpoint<State>({ checkpointId });
    expectTypeOf(context).toEqualTypeOf<State>();
    const { checkpoints } = await workrail.loadCheckpoints<State>({ ids: [checkpointId] });
    expectTypeOf(checkpoints[0]?.context.step).toEqualTypeOf<number | undefined>();
    expect([context, checkpoints[0]?.context]).toEqual([state, state]);
  }));
