import {
  type CheckpointId,
  commit,
  markDamaged,
  queryCheckpoints,
  querySessions,
  type Read,
  SESSION_PROJECT,
  type SessionId,
  type Where,
} from "@workrail/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { append } from "../../../core/src/catalog/rules/append.ts";
import { move } from "../../../core/src/catalog/rules/move.ts";
import { anAppend, ids, RuleCatalog, S, T } from "../../../core/test/rule-catalog.ts";
import { checkChangeable, confinedCatalog } from "./confined-catalog.ts";

const PROJECTS = ["/a", "/b", "/c", undefined] as const;
const [A, B, C] = PROJECTS;

interface Saved {
  readonly of: number;
  readonly session: number;
  readonly kind: "workflow" | "aside";
  readonly fate: "live" | "trash" | "damaged";
}

const saves = fc.array(
  fc.record<Saved>({
    of: fc.nat({ max: PROJECTS.length - 1 }),
    session: fc.nat({ max: 2 }),
    kind: fc.constantFrom("workflow", "workflow", "aside"),
    fate: fc.constantFrom("live", "live", "trash", "damaged"),
  }),
  { maxLength: 14 },
);

/** Makes a catalog of some saves; each session belongs to one project. */
function catalogOf(all: readonly Saved[], isIn: (project: string | undefined) => boolean): RuleCatalog {
  const catalog = new RuleCatalog();
  for (const [index, { of, session, kind, fate }] of all.entries()) {
    const project = PROJECTS[of];
    if (!isIn(project)) continue;
    const id = `c${index}`;
    const sessionId = `s${of}${session}` as SessionId;
    const at = new Date(Date.UTC(2026, 0, 1 + index));
    const record = catalog.saved(id, { sessionId, project, kind, createdAt: at, tags: [`t${index % 2}`], blobBytes: 100 + index });
    if (fate === "trash") catalog.change(move({ sessionId, checkpoints: ids(id), from: "live", to: "trash", at, reason: "test" }));
    const audit = { at, action: "damage", sessionId, checkpointId: record.id, agentId: undefined } as const;
    if (fate === "damaged") catalog.change(markDamaged(record, audit as never, async () => true));
  }
  return catalog;
}

const wheres: readonly Where[] = [
  { state: "live" },
  { state: "any" },
  { state: "trash" },
  { state: "live", project: A },
  { state: "live", project: B },
  { state: "live", project: C },
  { state: "live", notProject: A },
  { state: "live", sessionId: "s00" as SessionId },
  { state: "any", sessionId: "s20" as SessionId },
  { state: "live", headsOnly: true, notKinds: ["aside"] },
  { state: "any", idPrefix: "c1" },
  { state: "any", ids: ids("c0", "c1", "c2", "c3") },
  { state: "live", tags: ["t1"] },
  { state: "live", damaged: true },
];

const reads: readonly Read[] = [
  ...wheres.flatMap((where): Read[] => [
    { of: "count", where },
    ...(["newest", "oldest"] as const).flatMap((order): Read[] => [
      { of: "checkpoints", where, order, limit: 100 },
      { of: "checkpoints", where, order, limit: 2, offset: 1 },
      { of: "places", where, order, limit: 3 },
    ]),
  ]),
  { of: "checkpoints", where: { state: "trash" }, order: "trashed", limit: 3 },
  ...["c0", "c1", "c5"].map((id): Read => ({ of: "checkpoint", id: id as CheckpointId })),
  ...["s00", "s10", "s20", "s30", "none"].map((id): Read => ({ of: "session", id: id as SessionId })),
  { of: "sessions", where: { has: "live" }, limit: 2 },
  { of: "sessions", where: { has: "live", project: C }, limit: 10 },
  { of: "totals" },
  { of: "bytes" },
];

describe("a catalog confined to projects", () => {
  it("answers every read as a catalog that holds nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(saves, fc.subarray([A, B, C], { minLength: 1 }), async (all, projects) => {
        const own = confinedCatalog(catalogOf(all, () => true).port, projects);
        const alone = catalogOf(all, (project) => project !== undefined && projects.includes(project as never)).port;
        for (const read of reads) {
          const [{ answer }, { answer: expected }] = await Promise.all([own.read({ answer: read }), alone.read({ answer: read })]);
          // Places among the commits of all projects are never shown.
          expect(withoutPlace(answer), JSON.stringify(read)).toEqual(withoutPlace(expected));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("pages through several projects without gaps and repetitions", async () => {
    const catalog = new RuleCatalog();
    for (let index = 0; index < 20; index++) {
      const project = PROJECTS[index % PROJECTS.length];
      catalog.saved(`c${index}`, { sessionId: `s${index}` as SessionId, project, createdAt: new Date(Date.UTC(2026, 0, 1 + index)) });
    }
    const own = confinedCatalog(catalog.port, [A, C]);
    const found: string[] = [];
    for (let after; ;) {
      const page = await queryCheckpoints(own, { filter: {}, limit: 3, offset: 0, after });
      expect(page.total).toBe(10);
      found.push(...page.records.map(({ id }) => id));
      after = page.next;
      if (after === undefined) break;
    }
    expect(found).toEqual(["c18", "c16", "c14", "c12", "c10", "c8", "c6", "c4", "c2", "c0"]);
    const sessions: string[] = [];
    for (let after; ;) {
      const page = await querySessions(own, { limit: 3, after });
      sessions.push(...page.sessions.map(({ id }) => id));
      after = page.next;
      if (after === undefined) break;
    }
    expect(sessions).toEqual(["s0", "s2", "s4", "s6", "s8", "s10", "s12", "s14", "s16", "s18"]);
  });

  it("shows no audit log, holds or removals", async () => {
    const catalog = catalogOf([{ of: 0, session: 0, kind: "workflow", fate: "live" }], () => true);
    const own = confinedCatalog(catalog.port, [A]);
    expect(
      await own.read({
        audit: { of: "audit", query: {} },
        mark: { of: "mark" },
        holds: { of: "holds" },
        removals: { of: "removals" },
        erasures: { of: "erasures" },
        edges: { of: "edges" },
      }),
    ).toEqual({ audit: [], mark: undefined, holds: [], removals: [], erasures: [], edges: [] });
  });
});

describe("a session with checkpoints of several projects", () => {
  /** A session that began in another project. */
  function mixed(): RuleCatalog {
    const catalog = new RuleCatalog();
    catalog.saved("c1", { project: B, blobBytes: 1_000 });
    catalog.saved("c2", { project: A, blobBytes: 10, attributes: { [SESSION_PROJECT]: B, kept: true } });
    catalog.saved("c3", { project: B, blobBytes: 1_000 });
    return catalog;
  }

  it("shows each project its own part and its sums, without the name of the other", async () => {
    const own = confinedCatalog(mixed().port, [A]);
    const { row, listed, rows } = await own.read({
      row: { of: "session", id: S },
      listed: { of: "sessions", where: { has: "live" }, limit: 10 },
      rows: { of: "checkpoints", where: { state: "live", sessionId: S }, order: "newest", limit: 10 },
    });
    expect([row, ...listed]).toEqual([
      expect.objectContaining({ checkpointCount: 1, totalBytes: 10 }),
      expect.objectContaining({ checkpointCount: 1, totalBytes: 10, damagedCount: 0 }),
    ]);
    expect(rows.map(({ record: { id, attributes } }) => [id, attributes])).toEqual([["c2", { kept: true }]]);
  });

  it("refuses changes by a caller who sees only a part of it", async () => {
    const catalog = mixed();
    const own = confinedCatalog(catalog.port, [A]);
    const before = structuredClone(catalog.ask({ of: "checkpoints", where: { state: "any" }, order: "oldest", limit: 10 }));
    const at = new Date(Date.UTC(2026, 1, 1));
    const refused = expect.objectContaining({ code: "INVALID_INPUT", details: { field: "sessionId" } });
    await expect(own.change(append(anAppend("c4", { project: A })))).rejects.toEqual(refused);
    await expect(own.change(append(anAppend("c4", { project: A }, { expectedHead: "c1" as CheckpointId })))).rejects.toEqual(refused);
    await expect(own.change(commit({ pins: { sessionId: S, pin: ["a"], release: [] }, audit: [] }))).rejects.toEqual(refused);
    const going = { sessionId: S, checkpoints: ids("c2"), from: "live", to: "nowhere", at, reason: "test" } as const;
    await expect(own.change(commit({ move: going, audit: [] }))).rejects.toEqual(refused);
    await expect(checkChangeable(own, S)).rejects.toEqual(refused);
    expect(catalog.ask({ of: "checkpoints", where: { state: "any" }, order: "oldest", limit: 10 })).toEqual(before);
    // A handle changes the checkpoint alone.
    expect((await own.change(commit({ shields: [{ checkpointId: "c2" as CheckpointId, until: at }], audit: [] }))).status).toBe(
      "committed",
    );
  });
});

describe("a change of a catalog confined to projects", () => {
  it("fails for work of other projects as for missing work, and for a checkpoint outside of the projects", async () => {
    const catalog = new RuleCatalog();
    catalog.saved("c1", { project: B });
    const own = confinedCatalog(catalog.port, [A]);
    await expect(own.change(append(anAppend("c2", { project: A })))).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    await expect(own.change(append(anAppend("c1", { project: A, sessionId: T })))).rejects.toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
    const shields = [{ checkpointId: "c1" as CheckpointId, until: new Date() }];
    await expect(own.change(commit({ shields, audit: [] }))).rejects.toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
    await expect(own.change(append(anAppend("c2", { project: B, sessionId: T })))).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(own.change(append(anAppend("c2", { project: undefined, sessionId: T })))).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await own.change(append(anAppend("c2", { project: A, sessionId: T })))).toMatchObject({ status: "committed" });
    expect(catalog.ask({ of: "count", where: { state: "any" } })).toBe(2);
  });
});

/** Leaves out the place among all commits. */
function withoutPlace(answer: unknown): unknown {
  if (!Array.isArray(answer)) return typeof answer === "object" && answer !== null ? { ...answer, commit: undefined } : answer;
  return answer.map((row: object) => ({ ...row, commit: undefined }));
}
