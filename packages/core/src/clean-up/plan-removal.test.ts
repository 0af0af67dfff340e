import { describe, expect, it } from "vitest";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { CheckpointView, SessionView } from "./plan.ts";
import { checkSelection, planRemoval } from "./plan-removal.ts";

const checkpoint = (id: string, more: Partial<CheckpointView> = {}): CheckpointView => {
  return { id: id as CheckpointId, bytes: 10, project: "/p", isKept: false, canBeHead: true, shieldedUntil: undefined, ...more };
};
const session = (id: string, checkpoints: readonly CheckpointView[], isKept = false): SessionView => {
  return { id: id as SessionId, lastAccessedAt: new Date(0), isKept, checkpoints };
};
const S = "s" as SessionId;

describe("planRemoval", () => {
  it("moves a whole session to the trash", () => {
    const sessions = [session("s", [checkpoint("a"), checkpoint("b")])];
    expect(planRemoval(sessions, { sessionId: S })).toEqual({
      moves: [
        { sessionId: "s", checkpoints: ["a", "b"], bytes: 20, reason: "manual", from: "live", to: "trash", unlessUsedSince: new Date(0) },
      ],
      spared: [],
    });
  });

  it("removes checkpoints that a handle holds: an explicit request overrides the handle", () => {
    const sessions = [session("s", [checkpoint("a", { shieldedUntil: new Date("9999-12-31") })])];
    expect(planRemoval(sessions, { sessionId: S })).toMatchObject({ moves: [{ checkpoints: ["a"] }], spared: [] });
  });

  it("removes for good when asked to", () => {
    const sessions = [session("s", [checkpoint("a")])];
    expect(planRemoval(sessions, { sessionId: S, permanently: true }).moves).toMatchObject([{ to: "nowhere" }]);
  });

  it("keeps the newest of each session, counting only possible heads", () => {
    const damaged = checkpoint("c", { canBeHead: false });
    const sessions = [session("s", [checkpoint("a"), checkpoint("b"), damaged, checkpoint("d")]), session("t", [checkpoint("x")])];
    expect(planRemoval(sessions, { keepLast: 2 }).moves).toMatchObject([{ sessionId: "s", checkpoints: ["a"] }]);
    expect(planRemoval(sessions, { keepLast: 9 }).moves).toEqual([]);
  });

  it("selects only checkpoints of the project", () => {
    const sessions = [session("s", [checkpoint("a"), checkpoint("b", { project: "/q" }), checkpoint("c", { project: undefined })])];
    expect(planRemoval(sessions, { project: "/p" }).moves).toMatchObject([{ checkpoints: ["a"] }]);
  });

  it("spares and reports kept checkpoints, unless they are included", () => {
    const sessions = [session("s", [checkpoint("a", { isKept: true }), checkpoint("b")]), session("t", [checkpoint("x")], true)];
    const plan = planRemoval(sessions, { unusedForMs: 0 });
    expect(plan.moves).toMatchObject([{ sessionId: "s", checkpoints: ["b"] }]);
    expect(plan.spared).toEqual([
      { sessionId: "s", why: "keep", checkpoints: 1, bytes: 10 },
      { sessionId: "t", why: "keep", checkpoints: 1, bytes: 10 },
    ]);
    expect(planRemoval(sessions, { unusedForMs: 0, includeKept: true })).toMatchObject({
      moves: [{ checkpoints: ["a", "b"] }, { checkpoints: ["x"] }],
      spared: [],
    });
  });
});

describe("checkSelection", () => {
  it.each([
    [{}, "sessionId"],
    [{ permanently: true }, "sessionId"],
    [{ keepLast: 0 }, "keepLast"],
    [{ keepLast: 1.5 }, "keepLast"],
    [{ unusedForMs: -1 }, "unusedForMs"],
    [{ unusedForMs: Number.NaN }, "unusedForMs"],
    [{ unusedForMs: Number.POSITIVE_INFINITY }, "unusedForMs"],
    [{ unusedForMs: null as never, permanently: true }, "unusedForMs"],
    [{ unusedForMs: "" as never }, "unusedForMs"],
    [{ unusedForMs: true as never }, "unusedForMs"],
    [{ unusedForMs: [] as never }, "unusedForMs"],
    [{ keepLast: "1" as never }, "keepLast"],
    [{ keepLast: null as never }, "keepLast"],
    [{ project: null as never }, "project"],
  ])("refuses %o", (selection, field) => {
    expect(() => checkSelection(selection)).toThrow(expect.objectContaining({ code: "INVALID_INPUT", details: { field } }));
  });

  it.each([{ sessionId: S }, { unusedForMs: 0 }, { keepLast: 1 }, { project: "/p" }])("accepts %o alone", (selection) => {
    expect(() => checkSelection(selection)).not.toThrow();
  });
});
