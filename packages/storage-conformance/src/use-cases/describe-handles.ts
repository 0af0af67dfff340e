import { type CheckpointId, type Context, HANDLE_MS, type SessionId, type UpkeepPolicy } from "@workrail/core";
import { SteppingClock } from "../builders.ts";
import { describe, expect, it } from "vitest";
import { Chance } from "../chance.ts";
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

/** Tests handles: the checkpoint of a handle stays, whole, until the handle expires or a user removes the checkpoint. */
export function describeHandles(harness: StorageHarness): void {
  describe("handles", () => {
    it("resolve to the same context until they expire, despite saves, compaction and clean-up", () =>
      withStore(harness, async ({ storage }) => {
        const clock = new SteppingClock();
        const bench = new Workbench(storage, { clock, limits: LIMITS });
        const pass = (ms: number): void => clock.set(new Date(clock.now().getTime() + ms));
        const chance = new Chance(7);
        const handles = new Map<CheckpointId, { readonly text: string; validUntil: Date }>();
        const sessions = ["one", "two"] as SessionId[];
        const contextOf = (step: number): Context => ({ filler: "the same in all of them ".repeat(60), step: step % 7, at: step });
        for (let step = 1; step <= STEPS; step++) {
          const sessionId = sessions[chance.below(2)] as SessionId;
          pass(chance.below(2) * DAY_MS);
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
          const { loaded, failed } = await bench.loadTexts([...handles.keys()], false);
          expect({ texts: loaded.map(({ text }) => text), failed }).toEqual({
            texts: [...handles.values()].map(({ text }) => text),
            failed: [],
          });
          for (const [checkpointId, { text }] of [...handles].slice(0, 1))
            expect((await bench.load({ checkpointId })).contextText()).toBe(text);
        }
        expect(handles.size).toBeGreaterThan(3);
        pass(HANDLE_MS);
        await bench.cleanUp(GREEDY);
        for (const checkpointId of handles.keys()) expect(await codeOf(bench.load({ checkpointId }))).toBe("CHECKPOINT_NOT_FOUND");
        await bench.idle();
        expect((await bench.verify()).findings).toEqual([]);
      }));
  });
}
