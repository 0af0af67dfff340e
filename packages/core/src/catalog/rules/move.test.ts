import { describe, expect, it } from "vitest";
import type { CheckpointId } from "../../model/ids.ts";
import { type Move, move } from "./move.ts";
import { ids, refOf, RuleCatalog, S, T } from "../../../test/rule-catalog.ts";
import { shield } from "./commit.ts";

const AT = new Date("2026-02-02T00:00:00.000Z");
const COMMON = { sessionId: S, at: AT, reason: "test", agentId: "agent" };

function moved(catalog: RuleCatalog, given: Omit<Move, "sessionId" | "at" | "reason">): readonly CheckpointId[] {
  return catalog.change(move({ ...COMMON, ...given } as Move)).map(({ id }) => id);
}

function filled(...all: readonly string[]): RuleCatalog {
  const catalog = new RuleCatalog();
  for (const id of all) catalog.saved(id);
  return catalog;
}

describe("move", () => {
  it("takes checkpoints to the trash and back to their place", () => {
    const catalog = filled("a", "b", "c");
    const before = catalog.ask({ of: "session", id: S });
    expect(moved(catalog, { checkpoints: ids("b", "a", "b"), from: "live", to: "trash" })).toEqual(["b", "a"]);
    expect(catalog.facts.get(S)).toMatchObject({ trash: [{ checkpointId: "a", at: AT }, { checkpointId: "b" }], oldestLive: "c" });
    expect(catalog.ask({ of: "session", id: S })).toMatchObject({ checkpointCount: 1, totalBytes: 60 });
    expect(moved(catalog, { checkpoints: ids("a", "b"), from: "trash", to: "live" })).toEqual(["a", "b"]);
    expect(catalog.ask({ of: "session", id: S })).toEqual({ ...before, oldestLive: "a" });
    const where = { state: "live", sessionId: S } as const;
    expect(catalog.ask({ of: "places", where, order: "oldest", limit: 9 })).toEqual(
      ids("a", "b", "c").map((id, index) => ({ id, sequence: index + 1 })),
    );
    expect(catalog.tables.audit.map(({ action, checkpointId, reason }) => [action, checkpointId, reason])).toEqual([
      ["trash", "b", "test"],
      ["trash", "a", "test"],
      ["restore", "a", "test"],
      ["restore", "b", "test"],
    ]);
  });

  it("removes for good, and begins an erasure when asked", () => {
    const catalog = filled("a", "b");
    expect(moved(catalog, { checkpoints: ids("a"), from: "live", to: "nowhere" })).toEqual(["a"]);
    expect(moved(catalog, { checkpoints: ids("b"), from: "live", to: "nowhere", erases: true })).toEqual(["b"]);
    expect(catalog.facts.get(S)).toMatchObject({ tombstones: ["a", "b"], erasing: ["b"], oldestLive: null });
    expect(catalog.ask({ of: "erasures" }).map(({ blob }) => blob)).toEqual([refOf("b")]);
  });

  it("skips checkpoints that are elsewhere, or of another session", () => {
    const catalog = filled("a");
    catalog.saved("other", { sessionId: T });
    expect(moved(catalog, { checkpoints: ids("a", "other", "unknown"), from: "trash", to: "nowhere" })).toEqual([]);
    expect(moved(catalog, { checkpoints: ids("other", "unknown"), from: "live", to: "trash" })).toEqual([]);
    expect(catalog.tables.audit).toEqual([]);
  });

  it("spares shielded checkpoints when asked, and otherwise removes them", () => {
    const catalog = filled("a");
    catalog.change(shield({ checkpointId: "a" as CheckpointId, until: new Date(AT.getTime() + 1) }));
    expect(moved(catalog, { checkpoints: ids("a"), from: "live", to: "trash", sparesShielded: true })).toEqual([]);
    expect(moved(catalog, { checkpoints: ids("a"), from: "live", to: "trash" })).toEqual(["a"]);
  });

  it("moves nothing of a session that was used meanwhile, or is unknown", () => {
    const catalog = filled("a");
    expect(moved(catalog, { checkpoints: ids("a"), from: "live", to: "trash", unlessUsedSince: new Date(0) })).toEqual([]);
    expect(catalog.change(move({ ...COMMON, sessionId: T, checkpoints: ids("a"), from: "live", to: "trash" }))).toEqual([]);
  });
});
