import { type CheckpointId, type Context, HANDLE_MS, type SessionId, type StorageInUse, type UpkeepPolicy } from "@workrail/core";
import { SteppingClock } from "../builders.ts";
import { describe, expect, it } from "vitest";
import { Chance } from "../chance.ts";
import { randomIds } from "../environment.ts";
import type { StorageHarness } from "../harness.ts";
import { withStore } from "../store-under-test.ts";
import { codeOf, Workbench } from "../workbench.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const LIMITS = { maxCheckpoints: 3, maxAsides: 4 };
/** Policy that removes everything that may be removed. */
const GREEDY: UpkeepPolicy = { retentionMs: 1, asideMs: 1, trashMs: 0, trashBytes: 0, quota: { above: 0, downTo: 0 } };
/** Policy that removes asides and checkpoints beyond the limits, but no unused sessions. */
const LENIENT: UpkeepPolicy = { ...GREEDY, retentionMs: undefined, quota: { above: Number.MAX_SAFE_INTEGER, downTo: 0 } };
const STEPS = 40;
const ONE_IN_GREEDY = 6;

/** Tests handles: the checkpoint of a handle stays, whole, until the handle expires or somebody removes the checkpoint on purpose. */
export function describeHandles(harness: StorageHarness): void {
  const onBench = (test: (bench: Workbench, clock: SteppingClock, storage: StorageInUse) => Promise<void>) => () =>
    withStore(harness, async ({ storage }) => {
      const clock = new SteppingClock();
      const bench = new Workbench(storage, { clock, limits: LIMITS });
      await test(bench, clock, storage);
      await bench.idle();
      expect((await bench.verify()).findings).toEqual([]);
    });
  const pass = (clock: SteppingClock, ms: number): void => clock.set(new Date(clock.now().getTime() + ms));

  describe("handles", () => {
    it(
      "resolve to what they were given out for until they run out, whatever is saved, compacted and cleaned up",
      onBench(async (bench, clock) => {
        const chance = new Chance(7);
        const handles = new Map<CheckpointId, { readonly text: string; validUntil: Date }>();
        const sessions = ["one", "two"] as SessionId[];
        const contextOf = (step: number): Context => ({ filler: "the same in all of them ".repeat(60), step: step % 7, at: step });
        for (let step = 1; step <= STEPS; step++) {
          const sessionId = sessions[chance.below(2)] as SessionId;
          pass(clock, chance.below(2) * DAY_MS);
          const saved = await bench.save({ sessionId, context: contextOf(step) });
          const context = contextOf(chance.below(step));
          const aside = await bench.saveAside({ sessionId, context }).catch(() => undefined);
          if (aside !== undefined) handles.set(aside.record.id, { text: JSON.stringify(context), validUntil: aside.validUntil });
          const handle = chance.below(3) === 0 ? await bench.issueHandle(saved.record.id) : undefined;
          if (handle !== undefined) handles.set(saved.record.id, { text: JSON.stringify(contextOf(step)), ...handle });
          await bench.compact(sessionId);
          await bench.cleanUp(chance.below(ONE_IN_GREEDY) === 0 ? GREEDY : LENIENT);
          const now = clock.now();
          for (const [checkpointId, { validUntil }] of handles) if (validUntil <= now) handles.delete(checkpointId);
          for (const [checkpointId, { text }] of handles) expect((await bench.load({ checkpointId })).contextText()).toBe(text);
        }
        expect(handles.size).toBeGreaterThan(3);
        pass(clock, HANDLE_MS);
        await bench.cleanUp(GREEDY);
        for (const checkpointId of handles.keys()) expect(await codeOf(bench.load({ checkpointId }))).toBe("CHECKPOINT_NOT_FOUND");
      }),
    );

    it(
      "hold for seven days, are reused while most of that is left, and are extended afterwards",
      onBench(async (bench, clock) => {
        const { record } = await bench.save({ sessionId: randomIds.sessionId(), context: { step: 1 } });
        const first = await bench.issueHandle(record.id);
        const held = Number(first?.validUntil) - clock.now().getTime();
        expect(held).toBeGreaterThan(HANDLE_MS - 60_000);
        expect(held).toBeLessThanOrEqual(HANDLE_MS);
        pass(clock, DAY_MS / 2);
        expect(await bench.issueHandle(record.id)).toEqual(first);
        pass(clock, DAY_MS);
        const second = await bench.issueHandle(record.id);
        expect(Number(second?.validUntil)).toBeGreaterThan(Number(first?.validUntil) + DAY_MS);
      }),
    );

    it(
      "are not issued for missing checkpoints",
      onBench(async (bench, _, { catalog }) => {
        expect(await bench.issueHandle(randomIds.checkpointId())).toBeUndefined();
        const { record } = await bench.save({ sessionId: randomIds.sessionId(), context: { step: 1 } });
        const { sessionId, id } = record;
        await catalog.commit({
          move: { sessionId, checkpoints: [id], from: "live", to: "trash", at: new Date(), reason: "test" },
          audit: [],
        });
        expect(await bench.issueHandle(id)).toBeUndefined();
      }),
    );

    it(
      "report the removal of their checkpoint",
      onBench(async (bench, _, { catalog }) => {
        const { record } = await bench.saveAside({ sessionId: randomIds.sessionId(), context: { step: 1 } });
        const { sessionId, id } = record;
        const at = new Date("2027-03-04T05:06:07.008Z");
        const move = { sessionId, checkpoints: [id], at, reason: "test" };
        await catalog.commit({ move: { ...move, from: "live", to: "trash" }, audit: [] });
        await expect(bench.load({ checkpointId: id })).rejects.toMatchObject({
          code: "CHECKPOINT_NOT_FOUND",
          details: { checkpointId: id, sessionId, trashedAt: at.toISOString() },
          hint: expect.stringContaining(`workrail trash restore ${sessionId} ${id}`),
        });
        await catalog.commit({ move: { ...move, from: "trash", to: "nowhere" }, audit: [] });
        await expect(bench.load({ checkpointId: id })).rejects.toMatchObject({
          code: "CHECKPOINT_NOT_FOUND",
          details: { checkpointId: id },
          hint: expect.stringContaining("removed on purpose"),
        });
      }),
    );
  });

  describe("asides", () => {
    it(
      "are kept once for each content, beside the session's history",
      onBench(async (bench, _, { catalog }) => {
        const sessionId = randomIds.sessionId();
        const head = (await bench.save({ sessionId, context: { step: 1 } })).record;
        const aside = await bench.saveAside({ sessionId, context: { step: 2 } });
        expect(aside.record).toMatchObject({ kind: "aside", parentId: head.id, shieldedUntil: aside.validUntil });
        expect((await bench.saveAside({ sessionId, context: { step: 2 } })).record.id).toBe(aside.record.id);
        expect((await bench.saveAside({ sessionId: randomIds.sessionId(), context: { step: 2 } })).record.id).not.toBe(aside.record.id);
        expect((await catalog.head(sessionId))?.id).toBe(head.id);
        expect((await catalog.list({ filter: { sessionId }, limit: 9, offset: 0 })).total).toBe(1);
        expect((await bench.load({ checkpointId: aside.record.id })).context).toEqual({ step: 2 });
      }),
    );

    it(
      "are not created for the head's content, which is shielded instead",
      onBench(async (bench, _, { catalog }) => {
        const sessionId = randomIds.sessionId();
        const head = (await bench.save({ sessionId, context: { step: 1 } })).record;
        const { record, validUntil } = await bench.saveAside({ sessionId, context: { step: 1 } });
        expect(record.id).toBe(head.id);
        expect((await catalog.find(head.id))?.shieldedUntil).toEqual(validUntil);
      }),
    );

    it(
      "are saved again, under another id, when the first is in the trash",
      onBench(async (bench, _, { catalog }) => {
        const sessionId = randomIds.sessionId();
        const first = (await bench.saveAside({ sessionId, context: { step: 1 } })).record;
        const move = { sessionId, checkpoints: [first.id], from: "live", to: "trash", at: new Date(), reason: "test" } as const;
        await catalog.commit({ move, audit: [] });
        const second = (await bench.saveAside({ sessionId, context: { step: 1 } })).record;
        expect(second.id).not.toBe(first.id);
        expect((await bench.load({ checkpointId: second.id })).context).toEqual({ step: 1 });
      }),
    );

    it(
      "are refused when handles hold as many as there may be, until the first runs out",
      onBench(async (bench, clock) => {
        const sessionId = randomIds.sessionId();
        const asides = [];
        for (let step = 0; step < LIMITS.maxAsides; step++) asides.push(await bench.saveAside({ sessionId, context: { step } }));
        await expect(bench.saveAside({ sessionId, context: { step: "more" } })).rejects.toMatchObject({
          code: "STORAGE_QUOTA_EXCEEDED",
          details: { limit: "maxAsides", maxAsides: LIMITS.maxAsides },
        });
        expect((await bench.saveAside({ sessionId, context: { step: 0 } })).record.id).toBe(asides[0]?.record.id);
        pass(clock, HANDLE_MS);
        await bench.saveAside({ sessionId, context: { step: "more" } });
        expect(await codeOf(bench.load({ checkpointId: asides[0]?.record.id }))).toBe("CHECKPOINT_NOT_FOUND");
        expect((await bench.load({ checkpointId: asides[1]?.record.id })).context).toEqual({ step: 1 });
      }),
    );
  });
}
