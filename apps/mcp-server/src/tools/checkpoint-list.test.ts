import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { excessOf, sizeOfAnswer } from "../testing/answer-size.ts";
import { failureOf, type Fields, ORIGIN } from "../testing/contextd.ts";
import { ServerProcess } from "../testing/server-process.ts";

const LIST = "checkpoint_list";
const SAVE = "checkpoint_save";
const ENV = { RATE_LIMIT_CHECKPOINT_SAVE: "1000000" };

function checkpointsOf(page: Fields): readonly Fields[] {
  return page["checkpoints"] as readonly Fields[];
}

function summariesOf(page: Fields): readonly unknown[] {
  return checkpointsOf(page).map(({ summary }) => summary);
}

describe("checkpoint_list", () => {
  let server: ServerProcess;
  let own: string;
  let other: string;

  beforeAll(async () => {
    server = await ServerProcess.start({ env: ENV });
    own = server.home.project;
    for (let index = 0; index < 15; index++) await server.ok(SAVE, { summary: `own ${index}`, project_path: own });
    other = server.home.dataDir;
    for (let index = 0; index < 3; index++) await server.ok(SAVE, { summary: `other ${index}`, project_path: other });
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it("has the documented input fields, none of them required", async () => {
    const schema = (await server.client.listTools()).tools.find(({ name }) => name === LIST)?.inputSchema;
    const types = Object.entries(schema?.properties ?? {}).map(([name, property]) => [name, (property as { type: string }).type]);
    expect(Object.fromEntries(types)).toEqual({ limit: "integer", offset: "integer", project_path: "string", sort_by: "string" });
    expect(schema?.required).toBeUndefined();
  });

  it("answers with checkpoints, total, limit (default 10) and offset (default 0)", async () => {
    const page = await server.ok(LIST);
    expect(Object.keys(page)).toEqual(["origin", "checkpoints", "total", "limit", "offset", "next_offset"]);
    expect(page).toMatchObject({ origin: ORIGIN, total: 18, limit: 10, offset: 0, next_offset: 10 });
    expect(summariesOf(page)).toEqual(Array.from({ length: 10 }, (_, index) => `own ${14 - index}`));
  });

  it("without project_path lists all projects, the server's own first, each entry with its project", async () => {
    const page = await server.ok(LIST, { offset: 13, limit: 100 });
    expect(checkpointsOf(page).map((each) => [each["summary"], each["project_path"]])).toEqual([
      ["own 1", own],
      ["own 0", own],
      ["other 2", other],
      ["other 1", other],
      ["other 0", other],
    ]);
    expect(page).not.toHaveProperty("next_offset");
  });

  it("filters by project_path, and counts the matches", async () => {
    expect(await server.ok(LIST, { project_path: other, limit: 2 })).toMatchObject({ total: 3, limit: 2, next_offset: 2 });
    expect(summariesOf(await server.ok(LIST, { project_path: other }))).toEqual(["other 2", "other 1", "other 0"]);
    expect(await server.ok(LIST, { project_path: "/nobody/saved/here" })).toMatchObject({ checkpoints: [], total: 0 });
  });

  it.each(["created_at", "updated_at"])("sorts by %s, newest first", async (sort) => {
    const times = checkpointsOf(await server.ok(LIST, { sort_by: sort, project_path: own, limit: 100 })).map((each) => String(each[sort]));
    expect(times).toHaveLength(15);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it("accepts a limit of up to 100, and continues by offset through every page", async () => {
    expect(await server.ok(LIST, { limit: 100 })).toMatchObject({ limit: 100 });
    const found: unknown[] = [];
    for (let offset: unknown = 0; offset !== undefined;) {
      const page = await server.ok(LIST, { limit: 4, offset });
      expect(page).toMatchObject({ total: 18, limit: 4, offset });
      found.push(...summariesOf(page));
      offset = page["next_offset"];
    }
    expect(new Set(found).size).toBe(18);
  });

  it.for<[string, Fields, string, string]>([
    ["limit: 0", { limit: 0 }, "limit", "limit must be a whole number 1-100"],
    ["limit: over 100", { limit: 101 }, "limit", "limit must be a whole number 1-100"],
    ["limit: no number", { limit: "10" }, "limit", "limit must be a number, not a string"],
    ["offset: negative", { offset: -1 }, "offset", "offset must be a whole number from 0"],
    ["sort_by: another field", { sort_by: "name" }, "sort_by", 'sort_by must be one of "created_at", "updated_at"'],
    ["project_path: relative", { project_path: "src" }, "project_path", "project_path must be an absolute path"],
  ])("refuses %s with VALIDATION_ERROR", async ([, given, field, error]) => {
    expect(await failureOf(server, LIST, given)).toEqual({
      code: "VALIDATION_ERROR",
      message: `invalid ${field}`,
      details: { field, error },
    });
  });

  it("lists checkpoints of the workflow tools, and they list its own", async () => {
    await using mixed = await ServerProcess.start();
    const saved = await mixed.ok("workflow_checkpoint_save", {
      sessionId: "work",
      context: { goal: "Fix the cart", files: ["cart.ts"] },
      metadata: { tags: ["cart"], ticket: 7 },
    });
    const [listed] = checkpointsOf(await mixed.ok(LIST));
    const brief = {
      id: saved["checkpointId"],
      summary: "Fix the cart",
      description_truncated: true,
      project_path: mixed.home.project,
      context: { sessionId: "work", agentId: "test-client", ticket: 7 },
      tags: ["cart"],
      created_at: expect.any(String),
      kind: "workflow",
    };
    expect(listed).toEqual(brief);
    const [detailed] = checkpointsOf(await mixed.ok(LIST, { details: true }));
    expect(detailed).toEqual({ ...brief, token_count: expect.any(Number), updated_at: expect.any(String) });
    const { id } = await mixed.ok(SAVE, {
      summary: "Cart fixed",
      project_path: mixed.home.project,
      context: { commit: "abc" },
      tags: ["cart"],
    });
    const found = await mixed.ok("workflow_checkpoint_list", { query: "abc", tags: ["cart"], kind: "project" });
    expect(found["checkpoints"]).toMatchObject([{ checkpointId: id, metadata: { name: "Cart fixed", context: { commit: "abc" } } }]);
    expect(await mixed.ok("workflow_checkpoint_load", { checkpointId: id })).toMatchObject({
      context: { summary: "Cart fixed", context: { commit: "abc" } },
    });
  });
});

describe("a page of checkpoint_list that does not fit an answer", () => {
  it("costs at most 800 tokens for five, without descriptions, and ends early only where not all fit in brief", async () => {
    await using server = await ServerProcess.start({ env: ENV });
    const path = server.home.project;
    const description = "the quick brown fox ".repeat(500);
    const context = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`key ${index}`, "jumps over ".repeat(40)]));
    for (let index = 0; index < 100; index++) {
      await server.ok(SAVE, {
        summary: `step ${index} ${"of many ".repeat(20)}`,
        description,
        context,
        project_path: path,
        tags: ["long"],
      });
    }
    const some = await server.ok(LIST, { limit: 5 });
    expect(sizeOfAnswer(some).tokens).toBeLessThanOrEqual(800);
    expect(checkpointsOf(some)).toHaveLength(5);
    for (const [index, each] of checkpointsOf(some).entries()) {
      expect(each).toMatchObject({ description_truncated: true, project_path: path });
      expect(each).not.toHaveProperty("description");
      expect(each["summary"]).toMatch(new RegExp(`^step ${99 - index} of many`, "u"));
    }
    const ids: unknown[] = [];
    let pages = 0;
    for (let offset: unknown = 0; offset !== undefined; pages++) {
      const page = await server.ok(LIST, { limit: 100, offset });
      expect(excessOf(page)).toEqual({});
      ids.push(...checkpointsOf(page).map(({ id }) => id));
      offset = page["next_offset"];
    }
    expect(new Set(ids).size).toBe(100);
    expect(ids).toHaveLength(100);
    expect(pages).toBeLessThan(3);
  });
});
