import { describe, expect, it } from "vitest";
import { CHECKPOINT_KINDS, type CheckpointRecord, type NewRecord } from "../../model/checkpoint.ts";
import type { PageCursor } from "../../model/ids.ts";
import { type CheckpointFilter, queryCheckpoints } from "./query-checkpoints.ts";
import { relabel } from "../rules/commit.ts";
import { RuleCatalog, S, T } from "../../../test/rule-catalog.ts";

function idsOf(records: readonly CheckpointRecord[]): readonly string[] {
  return records.map(({ id }) => id);
}

describe("pages", () => {
  /** Saves checkpoints to two sessions in turn; the clock goes back. Returns their ids, newest first. */
  function filled(count: number): readonly [RuleCatalog, readonly string[]] {
    const catalog = new RuleCatalog();
    const ids = Array.from({ length: count }, (_, index) => `c${index}`);
    for (const [index, id] of ids.entries()) catalog.saved(id, { sessionId: index % 2 === 0 ? S : T, createdAt: new Date(1_000 - index) });
    return [catalog, ids.toReversed()];
  }

  it("are empty in an empty catalog", async () => {
    const page = await queryCheckpoints(new RuleCatalog().port, { filter: {}, limit: 9, offset: 0 });
    expect(page).toEqual({ records: [], total: 0, next: undefined });
  });

  it.each([
    [3, 0, true],
    [3, 3, true],
    [3, 4, false],
    [3, 6, false],
    [3, 7, false],
    [3, 700, false],
    [7, 0, false],
    [6, 0, true],
    [1_000, 0, false],
  ])("of %i at offset %i come newest first, with the total", async (limit, offset, hasNext) => {
    const [catalog, ids] = filled(7);
    const { records, total, next } = await queryCheckpoints(catalog.port, { filter: {}, limit, offset });
    expect([idsOf(records), total, next !== undefined]).toEqual([ids.slice(offset, offset + limit), 7, hasNext]);
  });

  it.each([undefined, S])("continue after a cursor despite later saves, in session %s", async (sessionId) => {
    const [catalog, all] = filled(9);
    const ids = all.filter((_, index) => sessionId === undefined || index % 2 === 0);
    const seen: string[] = [];
    let after: PageCursor | undefined;
    do {
      const page = await queryCheckpoints(catalog.port, { filter: { sessionId }, limit: 2, offset: 0, after });
      seen.push(...idsOf(page.records));
      after = page.next;
      catalog.saved(`later-${seen.length}`);
    } while (after !== undefined && seen.length < 99);
    expect(seen).toEqual(ids);
  });

  it("continue after a cursor whose checkpoint was removed, and all behind it", async () => {
    const [catalog] = filled(6);
    const query = { filter: { sessionId: S }, limit: 2, offset: 0 };
    const { next } = await queryCheckpoints(catalog.port, query);
    catalog.append("last", {}, { keepNewest: 1 });
    expect(next).toBeDefined();
    expect((await queryCheckpoints(catalog.port, { ...query, after: next })).records).toEqual([]);
  });

  it("count an offset from the cursor, and the total without it", async () => {
    const [catalog, ids] = filled(7);
    const { next } = await queryCheckpoints(catalog.port, { filter: {}, limit: 2, offset: 0 });
    const { records, total } = await queryCheckpoints(catalog.port, { filter: {}, limit: 2, offset: 1, after: next });
    expect([idsOf(records), total]).toEqual([ids.slice(3, 5), 7]);
  });

  it.each(["", "x", "-1", "1 a"])("refuse the cursor %j", async (after) => {
    const query = { filter: {}, limit: 1, offset: 0, after: after as PageCursor };
    await expect(queryCheckpoints(new RuleCatalog().port, query)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});

describe("filters", () => {
  it.each<[string, CheckpointFilter, readonly string[]]>([
    ["nothing: all but asides", {}, ["other", "talk", "plan", "draft", "first"]],
    ["asides, when they are asked for", { kinds: ["aside"] }, ["aside"]],
    ["several kinds", { kinds: ["aside", "conversation"] }, ["aside", "talk"]],
    ["no kind", { kinds: [] }, []],
    ["every kind", { kinds: CHECKPOINT_KINDS }, ["other", "aside", "talk", "plan", "draft", "first"]],
    ["a project", { project: "/home/me/app" }, ["plan", "first"]],
    ["a project that is only part of one", { project: "/home/me" }, []],
    ["all but a project, those of none among them", { notProject: "/home/me/app" }, ["other", "talk", "draft"]],
    ["a repository", { repository: "/home/me/app/.git" }, ["draft"]],
    ["a repository that is only part of one", { repository: "/home/me/app" }, []],
    [
      "a project and the worktrees of its repository",
      { project: "/home/me/app", repository: "/home/me/app/.git" },
      ["plan", "draft", "first"],
    ],
    ["only heads", { headsOnly: true }, ["other", "talk"]],
    ["heads of some kind", { headsOnly: true, kinds: ["conversation"] }, ["talk"]],
    ["heads that are none, for newer ones are of another kind", { headsOnly: true, kinds: ["workflow"] }, ["other"]],
    ["a branch, which is a word like others", { query: "LOGIN-form" }, ["draft"]],
    ["a word that only the place of a repository has", { query: "/home/me/app/.git" }, []],
    ["a backslash in the attributes", { query: String.raw`C:\Tools` }, ["other"]],
    ["quotation marks in the attributes", { query: `"quoted"` }, ["other"]],
    ["a workflow", { workflowId: "fix-bug" }, ["draft", "first"]],
    ["an agent", { agentId: "coder" }, ["plan", "first"]],
    ["the phase that ended with it", { phase: "plan" }, ["draft"]],
    ["a phase that is only part of one", { phase: "pla" }, []],
    ["one tag", { tags: ["release"] }, ["plan", "first"]],
    ["all of several tags", { tags: ["release", "v2"] }, ["plan"]],
    ["a tag in another case: that is another tag", { tags: ["Release"] }, []],
    ["part of a tag", { tags: ["rel"] }, []],
    ["no tags at all", { tags: [] }, ["other", "talk", "plan", "draft", "first"]],
    ["part of a name, in any case", { name: "PLAN" }, ["plan", "draft"]],
    ["part of a name beyond ASCII, in any case", { name: "ÄNDERUNG" }, ["talk"]],
    ["a name with a percent sign", { name: "100%" }, ["first"]],
    ["a name with an underscore, which is no wildcard", { name: "n_t" }, []],
    ["a name with a backslash", { name: "\\path" }, ["first"]],
    ["a word of the name", { query: "draft" }, ["draft"]],
    ["a word of a tag, in any case", { query: "RELEASE" }, ["plan", "first"]],
    ["a word of the attributes", { query: "needle" }, ["other"]],
    ["a word of the workflow", { query: "fix-bug" }, ["draft", "first"]],
    ["a word of the agent", { query: "coder" }, ["plan", "first"]],
    ["words in different places, all of which must be there", { query: "plan  coder" }, ["plan"]],
    ["words of which one is nowhere", { query: "plan nowhere" }, []],
    ["a word with wildcards in it", { query: "c%r" }, []],
    ["since a time", { since: new Date("2026-01-03T12:00:00Z") }, ["other", "talk"]],
    ["until a time", { until: new Date("2026-01-02T12:00:00Z") }, ["draft", "first"]],
    ["since the time of one, which is among them", { since: new Date("2026-01-04T00:00:00Z") }, ["other", "talk"]],
    ["until the time of one, which is among them", { until: new Date("2026-01-02T00:00:00Z") }, ["draft", "first"]],
    ["between two times", { since: new Date("2026-01-01T12:00:00Z"), until: new Date("2026-01-03T12:00:00Z") }, ["plan", "draft"]],
    ["several filters, all of which must hold", { workflowId: "fix-bug", agentId: "coder" }, ["first"]],
  ])("by %s", async (_, filter, expected) => {
    const { records, total } = await queryCheckpoints(aLibrary().port, { filter, limit: 10, offset: 0 });
    expect(idsOf(records)).toEqual(expected);
    expect(total).toBe(expected.length);
  });

  it.each<[string, CheckpointFilter, readonly string[]]>([
    ["the first characters of an id", { idPrefix: "pla" }, ["plan"]],
    ["a whole id", { idPrefix: "plan" }, ["plan"]],
    ["more than an id", { idPrefix: "plan0" }, []],
    ["another case", { idPrefix: "PLA" }, []],
    ["wildcards", { idPrefix: "____" }, []],
    ["a prefix and a kind", { idPrefix: "pla", kinds: ["workflow"] }, []],
    ["no characters", { idPrefix: "" }, ["other", "talk", "plan", "draft", "first"]],
  ])("by %s", async (_, filter, expected) => {
    expect(idsOf((await queryCheckpoints(aLibrary().port, { filter, limit: 10, offset: 0 })).records)).toEqual(expected);
  });

  it("by tags of the session, which count for each of its checkpoints", async () => {
    const catalog = new RuleCatalog();
    catalog.saved("tagged", { tags: ["own"] });
    catalog.saved("plain", { tags: ["own"], sessionId: T });
    catalog.change(relabel({ sessionId: S, labels: "tags", add: ["shared"], remove: [] }));
    const { records } = await queryCheckpoints(catalog.port, { filter: { tags: ["shared", "own"] }, limit: 10, offset: 0 });
    expect(idsOf(records)).toEqual(["tagged"]);
  });
});

/** One checkpoint a day from January 1, oldest first; all but `other` are in one session. */
function aLibrary(): RuleCatalog {
  const gitState = { root: "/home/me/app-login", commonDir: "/home/me/app/.git", branch: "login-form" };
  const library: Readonly<Record<string, Partial<NewRecord>>> = {
    first: {
      name: "100% of C:\\path, not a scheme",
      project: "/home/me/app",
      workflowId: "fix-bug",
      agentId: "coder",
      tags: ["release"],
    },
    draft: { name: "Draft of the plan", workflowId: "fix-bug", agentId: "writer", attributes: { phase: "plan", gitState } },
    plan: { name: "the Plan", project: "/home/me/app", agentId: "coder", tags: ["v2", "release"], kind: "project" },
    talk: { name: "Letzte änderung", project: "/home/me/app/sub", kind: "conversation" },
    aside: { name: "aside", kind: "aside" },
    other: { attributes: { depth: { text: "a Needle in hay" }, phase: ["plan"], place: String.raw`C:\Tools`, said: `"quoted"` } },
  };
  const catalog = new RuleCatalog();
  for (const [index, [id, given]] of Object.entries(library).entries()) {
    catalog.saved(id, { ...given, sessionId: id === "other" ? T : S, createdAt: new Date(Date.UTC(2026, 0, index + 1)) });
  }
  return catalog;
}
