import { type SessionId, WorkrailError } from "@workrail/core";
import type { Workbench } from "../workbench.ts";

/** An operation on a store that can be repeated. */
export interface Scenario {
  readonly name: string;
  /** Number of checkpoints that a session keeps. Default: no limit. */
  readonly maxCheckpoints?: number;
  /** True when the operation works on all sessions. Each run gets a fresh store, because the number of file operations would grow with each run. */
  readonly affectsAllSessions?: boolean;
  /** True when the operation is a rebuild itself, so that another one after a fault tests nothing more. */
  readonly isRebuild?: boolean;
  /** True when removals stay pending. */
  readonly reclaimsNothing?: boolean;
  prepare(bench: Workbench, sessionId: SessionId): Promise<unknown>;
  act(bench: Workbench, sessionId: SessionId): Promise<unknown>;
  /** Content of the session after the operation. */
  readonly after: Held;
}

/** Steps of a session's contexts, oldest first, and its pins. */
export interface Held {
  readonly steps: readonly unknown[];
  readonly pins: readonly string[];
}

const NOTHING = async (): Promise<void> => undefined;

/** Long enough for a delta to be smaller than the whole context. */
const FILLER = "as it was before ".repeat(100);

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "a session's first save",
    prepare: NOTHING,
    act: (bench, sessionId) => bench.save({ sessionId, context: { step: 1 } }),
    after: { steps: [1], pins: [] },
  },
  {
    name: "a later save",
    prepare: (bench, sessionId) => bench.save({ sessionId, context: { step: 1 } }),
    act: (bench, sessionId) => bench.save({ sessionId, context: { step: 2 } }),
    after: { steps: [1, 2], pins: [] },
  },
  {
    name: "a save under the caller's own id",
    prepare: (bench, sessionId) => bench.save({ sessionId, context: { step: 1 } }),
    act: (bench, sessionId) => bench.save({ sessionId, context: { step: 2 }, checkpointId: `own-${sessionId}` as never }),
    after: { steps: [1, 2], pins: [] },
  },
  {
    name: "a save that prunes",
    maxCheckpoints: 2,
    async prepare(bench, sessionId) {
      for (const step of [1, 2]) await bench.save({ sessionId, context: { step } });
      await bench.pin({ sessionId, key: "step" });
    },
    async act(bench, sessionId) {
      await bench.save({ sessionId, context: { step: 3 } });
      await bench.idle();
    },
    after: { steps: [2, 3], pins: ["step"] },
  },
  {
    name: "a save that prunes all others",
    maxCheckpoints: 1,
    prepare: (bench, sessionId) => bench.save({ sessionId, context: { step: 1 } }),
    act: (bench, sessionId) => bench.save({ sessionId, context: { step: 2 } }),
    after: { steps: [2], pins: [] },
  },
  {
    name: "a pin",
    prepare: (bench, sessionId) => bench.save({ sessionId, context: { step: 1 } }),
    act: (bench, sessionId) => bench.pin({ sessionId, key: "step" }),
    after: { steps: [1], pins: ["step"] },
  },
  {
    name: "a garbage collection",
    maxCheckpoints: 1,
    reclaimsNothing: true,
    affectsAllSessions: true,
    async prepare(bench, sessionId) {
      for (const step of [1, 2]) await bench.save({ sessionId, context: { step } });
    },
    act: (bench) => bench.collectGarbage(),
    after: { steps: [2], pins: [] },
  },
  {
    name: "a compaction",
    async prepare(bench, sessionId) {
      for (const step of [1, 2, 3, 4]) await bench.save({ sessionId, context: { step, filler: FILLER } });
    },
    act: async (bench, sessionId) => {
      await bench.compact(sessionId);
      // The compaction must finish the work that an earlier one left.
      if ((await bench.stillWhole(sessionId)) > 0) throw new Error("The compaction left checkpoints that it must re-encode.");
    },
    after: { steps: [1, 2, 3, 4], pins: [] },
  },
  {
    name: "an erasure of the base of a delta",
    async prepare(bench, sessionId) {
      for (const step of [1, 2, 3, 4]) await bench.save({ sessionId, context: { step, filler: FILLER }, name: `${step}` });
      await bench.compact(sessionId);
    },
    async act(bench, sessionId) {
      const [second] = await bench.list({ sessionId, name: "2" });
      const { left } = second === undefined ? await bench.finishErasures() : await bench.erase({ checkpointIds: [second.id] });
      // The erasure is decided but not finished.
      if (left.length > 0) throw new WorkrailError("STORAGE_UNAVAILABLE", left.join(" "));
      if ((await bench.erasures()) > 0) throw new Error("An erasure was reported as finished, but is still pending.");
    },
    after: { steps: [1, 3, 4], pins: [] },
  },
  {
    name: "an erasure of a session that overwrites nothing",
    async prepare(bench, sessionId) {
      for (const step of [1, 2, 3]) await bench.save({ sessionId, context: { step, filler: FILLER } });
      await bench.compact(sessionId);
    },
    async act(bench, sessionId) {
      // An interrupted call may have done everything.
      if ((await bench.list({ sessionId })).length > 0) await bench.erase({ sessionIds: [sessionId], overwrites: false });
    },
    after: { steps: [], pins: [] },
  },
  {
    name: "a rebuild of a compacted session",
    affectsAllSessions: true,
    async prepare(bench, sessionId) {
      for (const step of [1, 2, 3]) await bench.save({ sessionId, context: { step, filler: FILLER } });
      await bench.compact(sessionId);
    },
    isRebuild: true,
    act: (bench) => bench.rebuild(),
    after: { steps: [1, 2, 3], pins: [] },
  },
  {
    name: "a rebuild",
    affectsAllSessions: true,
    async prepare(bench, sessionId) {
      for (const step of [1, 2]) await bench.save({ sessionId, context: { step } });
      await bench.pin({ sessionId, key: "step" });
    },
    isRebuild: true,
    act: (bench) => bench.rebuild(),
    after: { steps: [1, 2], pins: ["step"] },
  },
];
