import { randomUUID } from "node:crypto";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { excessOf } from "../testing/answer-size.ts";
import { FILLERS, largestMetadata } from "../testing/largest-metadata.ts";
import { ServerProcess } from "../testing/server-process.ts";

const SAVE = "workflow_checkpoint_save";
const LOAD = "workflow_checkpoint_load";
const LIST = "workflow_checkpoint_list";
const MARK = "workflow_mark_critical";

type Fields = Record<string, unknown>;

interface Item {
  readonly checkpointId: string;
  readonly sessionId: string;
  readonly createdAt: string;
  readonly sizeBytes: number;
  readonly metadata: Fields;
}

let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

function itemsOf(page: Fields): readonly Item[] {
  return page["checkpoints"] as readonly Item[];
}

function namesOf(page: Fields): readonly unknown[] {
  return itemsOf(page).map(({ metadata }) => metadata["name"]);
}

describe("a listing of one session", () => {
  const sessionId = "one";
  const saved: Fields[] = [];

  beforeAll(async () => {
    for (let step = 1; step <= 25; step += 1) {
      saved.push(
        await server.ok(SAVE, {
          sessionId,
          context: { step },
          metadata: { name: `step ${step}`, tags: ["t"], ticket: step },
          details: true,
        }),
      );
    }
  });

  it("lists the fields that the specification requires, and fields that distinguish checkpoints", async () => {
    const page = await server.ok(LIST, { sessionId, limit: 1 });
    const metadata = { ticket: 25, name: "step 25", agentId: "test-client", tags: ["t"] };
    expect(page).toEqual({
      checkpoints: [{ checkpointId: saved.at(-1)?.["checkpointId"], sessionId, createdAt: expect.any(String), metadata }],
      total: 25,
      limit: 1,
      offset: 0,
      nextOffset: 1,
      durability: "disk",
    });
  });

  it("has with details every field of the newest first, and of the session", async () => {
    const page = await server.ok(LIST, { sessionId, limit: 1, details: true });
    const newest = saved.at(-1) as Fields;
    expect(page).toEqual({
      checkpoints: [
        {
          checkpointId: newest["checkpointId"],
          sessionId,
          createdAt: expect.any(String),
          sizeBytes: newest["sizeBytes"],
          metadata: {
            ticket: 25,
            name: "step 25",
            agentId: "test-client",
            project: server.home.project,
            lastAccessedAt: expect.any(String),
            tags: ["t"],
            contextHash: expect.stringMatching(/^[0-9a-f]{64}$/u),
            blobPath: `contexts/${sessionId}/${String(newest["checkpointId"])}.json.gz`,
            parentId: newest["parentId"],
            kind: "workflow",
            sequence: 25,
            layers: { IMPORTANT: 1 },
          },
        },
      ],
      total: 25,
      limit: 1,
      offset: 0,
      nextOffset: 1,
      session: {
        id: sessionId,
        createdAt: expect.any(String),
        lastAccessedAt: expect.any(String),
        totalSizeBytes: saved.reduce((sum, { sizeBytes }) => sum + Number(sizeBytes), 0),
        checkpointCount: 25,
      },
      durability: "disk",
    });
  });

  it("has 20 entries by default, and continues at nextOffset to the last", async () => {
    const first = await server.ok(LIST, { sessionId });
    expect(first).toMatchObject({ total: 25, limit: 20, offset: 0, nextOffset: 20 });
    expect(namesOf(first)).toEqual(Array.from({ length: 20 }, (_, index) => `step ${25 - index}`));
    const second = await server.ok(LIST, { sessionId, offset: first["nextOffset"] });
    expect(namesOf(second)).toEqual(["step 5", "step 4", "step 3", "step 2", "step 1"]);
    expect(second).not.toHaveProperty("nextOffset");
  });

  it("beyond its end is empty, with the same total", async () => {
    expect(await server.ok(LIST, { sessionId, offset: 25 })).toMatchObject({ checkpoints: [], total: 25, offset: 25 });
    expect(await server.ok(LIST, { sessionId, offset: 1e15 })).not.toHaveProperty("nextOffset");
  });

  it("shows the pinned keys", async () => {
    await server.ok(SAVE, { sessionId: "marked", context: { goal: 1 } });
    await server.ok(MARK, { sessionId: "marked", contextKey: "goal" });
    const page = await server.ok(LIST, { sessionId: "marked", details: true });
    expect(page["session"]).toMatchObject({ criticalKeys: ["goal"] });
    expect(itemsOf(page)[0]?.metadata).toMatchObject({ criticalKeys: ["goal"] });
  });

  it("of an unknown session is empty", async () => {
    const page = await server.ok(LIST, { sessionId: "unknown" });
    expect(page).toEqual({ checkpoints: [], total: 0, limit: 20, offset: 0, durability: "disk" });
  });
});

describe("a filter", () => {
  let filtered: ServerProcess;
  let middle: string;

  beforeAll(async () => {
    filtered = await ServerProcess.start({ clientName: "lister" });
    const save = (sessionId: string, metadata: Fields, given: Fields): Promise<Fields> =>
      filtered.ok(SAVE, { sessionId, context: { sessionId, name: metadata["name"] ?? "" }, metadata, ...given });
    await save("a", { name: "Before the Refactoring", tags: ["stable", "v1"] }, { workflowId: "refactor", agentId: "planner" });
    await save("a", { name: "after 100% of it", tags: ["stable"], ticket: "PROJ-7" }, { workflowId: "refactor", agentId: "coder" });
    const { checkpointId } = await save("b", { name: "Żurek_recipe", tags: ["v1", "50%_off"] }, { workflowId: "cook" });
    const { origin } = await filtered.ok("workflow_checkpoint_load", { checkpointId });
    middle = String((origin as Fields)["savedAt"]);
    await save("b", {}, { workflowId: "cook", agentId: "coder" });
  });

  afterAll(async () => {
    await filtered[Symbol.asyncDispose]();
  });

  it.each<[string, Fields, readonly (string | undefined)[]]>([
    ["nothing", {}, [undefined, "Żurek_recipe", "after 100% of it", "Before the Refactoring"]],
    ["one tag", { tags: ["stable"] }, ["after 100% of it", "Before the Refactoring"]],
    ["all of several tags", { tags: ["v1", "stable"] }, ["Before the Refactoring"]],
    ["tags in a text", { tags: "v1,stable" }, ["Before the Refactoring"]],
    ["a part of a tag, which is none", { tags: ["stab"] }, []],
    ["a part of the name, in any case", { name: "refactor" }, ["Before the Refactoring"]],
    ["a percent sign, which stands for itself", { name: "0%" }, ["after 100% of it"]],
    ["an underscore, which stands for itself", { name: "k_r" }, ["Żurek_recipe"]],
    ["a name in another script's case", { name: "żurek" }, ["Żurek_recipe"]],
    ["a word in metadata", { query: "proj-7" }, ["after 100% of it"]],
    ["words in several places", { query: "coder 100%" }, ["after 100% of it"]],
    ["words of which one is nowhere", { query: "coder nowhere" }, []],
    ["a tag's word", { query: "50%" }, ["Żurek_recipe"]],
    ["quotes, which stand for themselves", { query: `"' OR 1=1 --` }, []],
    ["a workflow", { workflowId: "cook" }, [undefined, "Żurek_recipe"]],
    ["an agent", { agentId: "coder" }, [undefined, "after 100% of it"]],
    ["the agent that the client is", { agentId: "lister" }, ["Żurek_recipe"]],
    ["a session and an agent", { sessionId: "a", agentId: "coder" }, ["after 100% of it"]],
    ["a kind that has some", { kind: "workflow" }, [undefined, "Żurek_recipe", "after 100% of it", "Before the Refactoring"]],
    ["a kind that has none", { kind: "aside" }, []],
    ["several at once", { workflowId: "refactor", tags: ["v1"], name: "before", agentId: "planner" }, ["Before the Refactoring"]],
  ])("for %s finds what matches", async (_what, given, names) => {
    const page = await filtered.ok(LIST, given);
    expect(namesOf(page)).toEqual(names);
    expect(page["total"]).toBe(names.length);
  });

  it("for times takes them inclusive, in any zone", async () => {
    const at = Date.parse(middle);
    const inTokyo = new Date(at + 9 * 3_600_000).toISOString().replace("Z", "+09:00");
    expect(namesOf(await filtered.ok(LIST, { since: inTokyo, until: middle }))).toContain("Żurek_recipe");
    expect(namesOf(await filtered.ok(LIST, { since: middle }))).toContain("Żurek_recipe");
    expect(namesOf(await filtered.ok(LIST, { until: new Date(at - 1).toISOString() }))).not.toContain("Żurek_recipe");
    expect(namesOf(await filtered.ok(LIST, { since: new Date(at + 1).toISOString() }))).not.toContain("Żurek_recipe");
    expect((await filtered.ok(LIST, { since: "2100-01-01" }))["total"]).toBe(0);
  });

  it("pages its results", async () => {
    const page = await filtered.ok(LIST, { tags: ["stable"], limit: 1, offset: 1 });
    expect(page).toMatchObject({ total: 2, limit: 1, offset: 1 });
    expect(namesOf(page)).toEqual(["Before the Refactoring"]);
    expect(page).not.toHaveProperty("nextOffset");
  });

  it.each([
    ["limit", { limit: 0 }],
    ["limit", { limit: 101 }],
    ["limit", { limit: "20" }],
    ["offset", { offset: -1 }],
    ["offset", { offset: 0.5 }],
    ["since", { since: "yesterday" }],
    ["until", { until: "" }],
    ["kind", { kind: "other" }],
    ["tags", { tags: [1] }],
    ["sessionId", { sessionId: "a\u0007b" }],
    ["query", { query: "x".repeat(1_001) }],
  ])("that is invalid is refused, and the error names its %s", async (field, given) => {
    const failure = await filtered.fails(LIST, given);
    expect(failure).toMatchObject({ code: "INVALID_INPUT", httpStatus: 400 });
    expect(failure.text).toContain(field);
  });
});

describe("all sessions", () => {
  it("are those of the project", async () => {
    const elsewhere = path.resolve("/elsewhere");
    await using here = await ServerProcess.start();
    await using there = await ServerProcess.start({ home: here.home, env: { WORKRAIL_PROJECT: elsewhere } });
    await here.ok(SAVE, { sessionId: "here", context: { a: 1 } });
    const { checkpointId } = await there.ok(SAVE, { sessionId: "there", context: { a: 1 } });
    expect(itemsOf(await here.ok(LIST)).map(({ sessionId }) => sessionId)).toEqual(["here"]);
    expect(itemsOf(await there.ok(LIST)).map(({ sessionId }) => sessionId)).toEqual(["there"]);
    // A session or checkpoint of another project is accessible by its name.
    expect((await here.ok(LIST, { sessionId: "there" }))["total"]).toBe(1);
    expect((await here.ok(LOAD, { checkpointId }))["metadata"]).toMatchObject({ project: elsewhere });
  });
});

describe("a page that does not fit an answer", () => {
  it("ends early, and nextOffset leads through all of them", async () => {
    const sessionId = "heavy";
    for (let step = 0; step < 30; step += 1) {
      const notes = `note ${step} `.repeat(600);
      await server.ok(SAVE, { sessionId, context: { step }, metadata: { name: `heavy ${step}`, notes } });
    }
    const found: unknown[] = [];
    let pages = 0;
    for (let offset: unknown = 0; offset !== undefined; pages += 1) {
      const page = await server.ok(LIST, { sessionId, limit: 100, offset });
      expect(excessOf(page)).toEqual({});
      expect(page).toMatchObject({ total: 30, limit: 100, offset });
      found.push(...namesOf(page));
      offset = page["nextOffset"];
    }
    expect(found).toEqual(Array.from({ length: 30 }, (_, index) => `heavy ${29 - index}`));
    expect(pages).toBeGreaterThan(3);
  });

  it.each(FILLERS)(
    "holds at least one checkpoint, even when its metadata is the largest possible and is left out and named: %j",
    async (filler) => {
      const sessionId = randomUUID();
      const context = Object.fromEntries(
        Array.from({ length: 30 }, (_, index) => [`${index} ${filler.repeat(120 / filler.length)}`, index]),
      );
      for (const step of [1, 2, 3]) {
        await server.ok(SAVE, { sessionId, context: { ...context, step }, metadata: { ...largestMetadata(filler), step } });
      }
      for (const contextKey of Object.keys(context)) {
        const marked = await server.call(MARK, { sessionId, contextKey });
        expect(excessOf(marked.structuredContent ?? {})).toEqual({});
      }
      const steps: unknown[] = [];
      for (let offset: unknown = 0; offset !== undefined;) {
        const page = await server.ok(LIST, { sessionId, offset });
        expect(excessOf(page)).toEqual({});
        for (const item of itemsOf(page)) {
          steps.push(item.metadata["step"]);
          expect(item).toMatchObject({ metadataOmitted: { count: expect.any(Number) } });
        }
        offset = page["nextOffset"];
      }
      expect(steps).toEqual([3, 2, 1]);
    },
  );
});
