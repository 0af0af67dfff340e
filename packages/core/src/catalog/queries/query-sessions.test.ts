import { expect, it } from "vitest";
import { KEEP_TAG } from "../../model/session.ts";
import type { PageCursor, SessionId } from "../../model/ids.ts";
import { markDamaged } from "../rules/change-form.ts";
import { move } from "../rules/move.ts";
import { reclaim } from "../rules/reclaim.ts";
import { relabel } from "../rules/commit.ts";
import { ids, RuleCatalog, S } from "../../../test/rule-catalog.ts";
import { findSession, querySessions } from "./query-sessions.ts";

const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));

/** Saves a checkpoint to each of five sessions, the last one longest ago. */
function filled(): RuleCatalog {
  const catalog = new RuleCatalog();
  for (let index = 0; index < 5; index++) {
    const project = index === 1 ? "/other" : "/p";
    catalog.saved(`c${index}`, { sessionId: `s${index}` as SessionId, createdAt: at(10 - index), project });
  }
  return catalog;
}

function removed(catalog: RuleCatalog, index: number, to: "trash" | "nowhere"): void {
  const sessionId = `s${index}` as SessionId;
  catalog.change(move({ sessionId, checkpoints: ids(`c${index}`), from: "live", to, at: at(1), reason: "test" }));
}

it("lists sessions with checkpoints, least recently used first, in pages that go on despite removals", async () => {
  const catalog = filled();
  removed(catalog, 2, "trash");
  const first = await querySessions(catalog.port, { limit: 2 });
  removed(catalog, 4, "trash");
  const second = await querySessions(catalog.port, { limit: 2, after: first.next });
  expect([first, second].map(({ sessions }) => sessions.map(({ id }) => id))).toEqual([
    ["s4", "s3"],
    ["s1", "s0"],
  ]);
  expect(second.next).toBeUndefined();
  expect(first.sessions[1]).toEqual(await findSession(catalog.port, "s3" as SessionId));
});

it("selects by a project and by the last use", async () => {
  const { port } = filled();
  const found = async (query: object) => (await querySessions(port, { limit: 9, ...query })).sessions.map(({ id }) => id);
  expect(await found({ project: "/other" })).toEqual(["s1"]);
  expect(await found({ unusedSince: at(8) })).toEqual(["s4", "s3", "s2"]);
});

it("lists as empty the sessions that can be forgotten", async () => {
  const catalog = filled();
  removed(catalog, 0, "trash");
  for (const index of [1, 2, 3]) removed(catalog, index, "nowhere");
  const empty = async () => (await querySessions(catalog.port, { empty: true, limit: 9 })).sessions.map(({ id }) => id);
  expect(await empty()).toEqual([]);
  const refs = [1, 2].map((index) => `blob-c${index}`) as never[];
  catalog.change(reclaim({ refs, now: at(1), limit: 9, remove: async () => {} }));
  catalog.change(relabel({ sessionId: "s1" as SessionId, labels: "tags", add: [KEEP_TAG], remove: [] }));
  expect(await empty()).toEqual(["s2"]);
});

it("counts checkpoints, asides and damaged ones apart", async () => {
  const catalog = new RuleCatalog();
  expect(await findSession(catalog.port, S)).toBeUndefined();
  const record = catalog.saved("a", { createdAt: at(1) });
  catalog.saved("b", { createdAt: at(3) });
  catalog.saved("c", { createdAt: at(2), kind: "aside" });
  const audit = { at: at(1), action: "quarantine", sessionId: S, checkpointId: record.id, agentId: undefined } as const;
  catalog.change(markDamaged(record, audit, async () => true));
  expect(await findSession(catalog.port, S)).toEqual({
    id: S,
    createdAt: at(1),
    lastAccessedAt: at(3),
    tags: [],
    pins: [],
    checkpointCount: 2,
    asideCount: 1,
    damagedCount: 1,
    totalSizeBytes: 180,
  });
});

it.each(["", "x", "1 ", "-1 a"])("refuses the cursor %j", async (after) => {
  const query = { limit: 1, after: after as PageCursor };
  await expect(querySessions(new RuleCatalog().port, query)).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
