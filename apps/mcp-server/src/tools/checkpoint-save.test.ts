import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { callTool } from "../call-tool.ts";
import { LazyStore } from "../lazy-store.ts";
import { excessOf } from "../testing/answer-size.ts";
import { type CheckpointFailure, failureOf, type Fields, ORIGIN, readFailure } from "../testing/contextd.ts";
import { ServerProcess } from "../testing/server-process.ts";
import { createTools } from "./index.ts";

const SAVE = "checkpoint_save";
const GET = "checkpoint_get";
const LIST = "checkpoint_list";
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let server: ServerProcess;
let project: string;

beforeAll(async () => {
  server = await ServerProcess.start({ env: { RATE_LIMIT_CHECKPOINT_SAVE: "1000000" }, clientName: "claude-code" });
  project = server.home.project;
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

function save(given: Fields): Promise<Fields> {
  return server.ok(SAVE, { summary: "Implemented user authentication", project_path: project, ...given });
}

function refusal(given: Fields): Promise<unknown> {
  return failureOf(server, SAVE, { summary: "s", project_path: project, ...given });
}

describe("the input schema of checkpoint_save", () => {
  it("has the documented fields, of which summary and project_path are required", async () => {
    const { tools } = await server.client.listTools();
    const schema = tools.find(({ name }) => name === SAVE)?.inputSchema;
    const types = Object.entries(schema?.properties ?? {}).map(([name, property]) => [name, (property as { type: string }).type]);
    expect(Object.fromEntries(types)).toEqual({
      summary: "string",
      description: "string",
      project_path: "string",
      context: "object",
      tags: "array",
    });
    expect(schema?.required).toEqual(["summary", "project_path"]);
  });
});

describe("the output of checkpoint_save", () => {
  it("returns 500 emoji unchanged, in every field as many as its limit", async () => {
    const given = { summary: "🙂".repeat(500), tags: ["🎉".repeat(50)], context: { ["🔑".repeat(50)]: "🙂".repeat(500) } };
    expect(await save(given)).toMatchObject(given);
    expect(await refusal({ summary: "🙂".repeat(501) })).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it("is the documented checkpoint", async () => {
    const context = { branch: "feature/auth", commit: "abc123" };
    const saved = await save({ description: "Added JWT-based authentication...", context, tags: ["auth", "security"] });
    expect(saved).toEqual({
      id: expect.stringMatching(UUID_V4),
      summary: "Implemented user authentication",
      description: "Added JWT-based authentication...",
      project_path: project,
      context,
      tags: ["auth", "security"],
      token_count: expect.any(Number),
      created_at: expect.stringMatching(TIME),
      updated_at: saved["created_at"],
    });
    expect(await server.ok(GET, { id: saved["id"] })).toEqual({ origin: { ...ORIGIN, savedAt: saved["created_at"] }, ...saved });
  });

  it("has every field when the optional ones are left out", async () => {
    expect(await save({})).toMatchObject({ description: "", context: {}, tags: [] });
  });

  it("has a token_count of its texts (o200k), without any embedder", async () => {
    const saved = await save({ description: "Added JWT-based authentication.", context: { branch: "main" }, tags: ["auth"] });
    const said = "Implemented user authentication\nAdded JWT-based authentication.\nbranch: main\nauth";
    expect(saved["token_count"]).toBe(countTokens(said));
  });

  it("returns the context unchanged: the order of its keys, and texts, numbers and flags", async () => {
    const context = { z: "1", a: 1, m: true, none: null, empty: "" };
    const { id } = await save({ context });
    expect(JSON.stringify((await server.ok(GET, { id }))["context"])).toBe(JSON.stringify(context));
  });

  it("names the saving agent, where the workflow tools show it", async () => {
    const { id } = await save({});
    expect((await server.ok("workflow_checkpoint_load", { checkpointId: id }))["metadata"]).toMatchObject({
      kind: "project",
      name: "Implemented user authentication",
    });
  });
});

describe("checkpoint_save", () => {
  it("always creates: an equal save is another checkpoint", async () => {
    const [first, second] = [await save({}), await save({})];
    expect(first["id"]).not.toBe(second["id"]);
  });

  it("has no limit of 100: none of 120 is removed", async () => {
    const path = join(server.home.directory, "many");
    mkdirSync(path);
    const ids = new Set<unknown>();
    // In small waves: a call that waits for 30 seconds is a TIMEOUT_ERROR.
    for (let wave = 0; wave < 12; wave++) {
      const saves = Array.from({ length: 10 }, (_, index) => server.ok(SAVE, { summary: `step ${wave}.${index}`, project_path: path }));
      for (const { id } of await Promise.all(saves)) ids.add(id);
    }
    expect(ids.size).toBe(120);
    expect((await server.ok(LIST, { project_path: path }))["total"]).toBe(120);
  });

  it("does not become the current session of the workflow tools", async () => {
    await using fresh = await ServerProcess.start();
    await fresh.ok(SAVE, { summary: "s", project_path: fresh.home.project });
    expect((await fresh.ok("workflow_checkpoint_save", { context: { a: 1 } }))["sessionReason"]).toBe("fresh");
  });

  it("understands both spellings of its fields", async () => {
    expect(await server.ok(SAVE, { summary: "s", projectPath: project })).toMatchObject({ project_path: project });
  });

  it("keeps to the size limit of answers, whatever the input", async () => {
    const description = "認証".repeat(5_000);
    const context = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}`.padEnd(50, "鍵"), "値".repeat(500)]));
    const saved = await save({ summary: "概".repeat(500), description, context });
    expect(excessOf(saved)).toEqual({});
    expect(saved).toMatchObject({ description_truncated: true, context_truncated: true });
  });
});

describe("a call that is nearly right", () => {
  it("is answered with the right call", async () => {
    expect(await refusal({ sumary: "s" })).toMatchObject({
      details: {
        error: 'There is no parameter "sumary"',
        hint: expect.stringMatching(/^Without sumary: call checkpoint_save with \{"summary": "s", "project_path": /u),
      },
    });
    expect(await refusal({ context: { plan: ["a"] } })).toMatchObject({
      message: "invalid context",
      details: {
        error: "each value of context must be a text, a number, true, false or null",
        hint: 'To save a state call workflow_checkpoint_save with {"context": {"plan":["a"]}, "metadata": {"name":"s"}}',
      },
    });
  });

  it("is accepted when a text can only be a list, and the answer reports that", async () => {
    expect(await save({ tags: "auth, login" })).toMatchObject({
      tags: ["auth", "login"],
      corrected: ['tags was a text and was read as the list ["auth","login"].'],
    });
  });
});

describe("VALIDATION_ERROR", () => {
  it("has the documented form", async () => {
    expect(await refusal({ summary: "" })).toEqual({
      code: "VALIDATION_ERROR",
      message: "invalid summary",
      details: { field: "summary", error: "summary must be 1-500 characters" },
    });
  });

  it.for<[string, Fields, string, string]>([
    ["summary: required", { summary: undefined }, "summary", "summary is required and must be a string"],
    ["summary: no text", { summary: 5 }, "summary", "summary must be a string, not a number"],
    ["summary: 501 characters", { summary: "x".repeat(501) }, "summary", "summary must be 1-500 characters"],
    ["description: 10,001 characters", { description: "x".repeat(10_001) }, "description", "description must be at most 10000 characters"],
    ["project_path: required", { project_path: undefined }, "project_path", "project_path is required and must be a string"],
    ["project_path: empty", { project_path: "" }, "project_path", "project_path must be an absolute path"],
    ["project_path: relative", { project_path: "src" }, "project_path", "project_path must be an absolute path"],
    [
      "project_path: must exist",
      { project_path: join(import.meta.dirname, "none") },
      "project_path",
      "project_path must be a directory that exists",
    ],
    ...(
      [
        ["summary", { summary: "\ud800 x" }, "summary"],
        ["description", { description: "\ud800" }, "description"],
        ["tags", { tags: ["\udc00"] }, "each of tags"],
        ["context", { context: { a: "\ud800" } }, "each key and value of context"],
      ] as const
    ).map(([field, given, what]): [string, Fields, string, string] => [
      `${field}: half a surrogate pair`,
      given,
      field,
      `${what} must not contain half of a surrogate pair`,
    ]),
    ["context: no object", { context: "branch" }, "context", "context must be an object"],
    [
      "context: a value of 501 characters",
      { context: { a: "x".repeat(501) } },
      "context",
      "each value of context must be at most 500 characters",
    ],
    [
      "context: a key of 51 characters",
      { context: { ["k".repeat(51)]: "" } },
      "context",
      "each key of context must be at most 50 characters",
    ],
    [
      "context: 51 pairs",
      { context: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [index, ""])) },
      "context",
      "context must have at most 50 key-value pairs",
    ],
    ["tags: 21 of them", { tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }, "tags", "tags must be a list of at most 20"],
    ["tags: one of 51 characters", { tags: ["t".repeat(51)] }, "tags", "each of tags must be 1-50 characters"],
  ])("for %s", async ([, given, field, error]) => {
    expect(await refusal(given)).toEqual({ code: "VALIDATION_ERROR", message: `invalid ${field}`, details: { field, error } });
  });

  it("is returned without a save", async () => {
    const { total } = await server.ok(LIST);
    await refusal({ summary: "" });
    expect((await server.ok(LIST))["total"]).toBe(total);
  });

  it.each<[string, Fields]>([
    ["summary: 500 characters", { summary: "x".repeat(500) }],
    ["description: 10,000 characters", { description: "x".repeat(10_000) }],
    [
      "context: 50 pairs, keys of 50 characters",
      { context: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}`.padEnd(50, "k"), "v"])) },
    ],
    ["context: a value of 500 characters", { context: { a: "x".repeat(500) } }],
    ["tags: 20 of 50 characters", { tags: Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(50, "t")) }],
  ])("is not returned at the limit: %s", async (_, given) => {
    expect(await save(given)).toMatchObject(given);
  });
});

describe("a secret that is refused", () => {
  it("is reported once, at its field, with advice", async () => {
    await using strict = await ServerProcess.start({ env: { WORKRAIL_SECRETS: "block" } });
    const token = `ghp_${"aB3dE5fG7h".repeat(4).slice(0, 36)}`;
    const refused = (given: Fields): Promise<CheckpointFailure> =>
      failureOf(strict, SAVE, { summary: "s", project_path: strict.home.project, ...given });
    const found = (path: string): object => ({ count: 1, found: [{ rule: expect.any(String) as string, path }] });
    expect(await refused({ summary: `token ${token}` })).toMatchObject({
      code: "VALIDATION_ERROR",
      message: "invalid summary",
      details: { field: "summary", ...found("summary"), hint: expect.any(String) as string },
    });
    expect((await refused({ context: { key: token } })).details).toMatchObject({ field: "context", ...found('context["key"]') });
    expect((await refused({ tags: [token] })).details).toMatchObject({ field: "tags", ...found("tags[0]") });
  });
});

describe("RATE_LIMITED", () => {
  it("comes after a burst of 20 of one project by default, with the wait, while other projects still save", async () => {
    await using limited = await ServerProcess.start();
    const path = limited.home.project;
    const results = [];
    for (let index = 0; index < 30; index++) results.push(await limited.call(SAVE, { summary: `n ${index}`, project_path: path }));
    const refused = results.filter(({ isError }) => isError === true);
    const saved = results.length - refused.length;
    expect(saved).toBeGreaterThanOrEqual(20);
    expect(saved).toBeLessThan(25);
    expect(readFailure(refused[0] as (typeof results)[0])).toEqual({
      code: "RATE_LIMITED",
      message: "The project may save 10 checkpoints a minute, and 20 in a row.",
      details: {
        limit: 10,
        burst: 20,
        retry_after: expect.stringMatching(/^\d(\.\d)?s$/),
        retry_after_ms: expect.any(Number),
        hint: expect.stringMatching(/^Save again in \d s/),
      },
    });
    expect(refused[0]?._meta).toMatchObject({ httpStatus: 429 });
    await limited.ok(SAVE, { summary: "elsewhere", project_path: limited.home.dataDir });
    expect((await limited.ok(LIST, { project_path: path }))["total"]).toBe(saved);
  });
});

describe("INTERNAL_ERROR", () => {
  it("names our own code and its details", async () => {
    await using small = await ServerProcess.start({ env: { WORKRAIL_MAX_CHECKPOINT_BYTES: "200" } });
    const failure = await failureOf(small, SAVE, { summary: "s", project_path: small.home.project, description: "x y z ".repeat(1_000) });
    expect(failure).toMatchObject({
      code: "INTERNAL_ERROR",
      message: expect.stringMatching(/^The checkpoint has \d+ bytes/),
      details: { provider: "storage", error: "STORAGE_QUOTA_EXCEEDED", limit: "maxCheckpointBytes", hint: expect.any(String) },
    });
  });

  it("names where the checkpoint is kept while the disk fails", async () => {
    await using broken = await ServerProcess.start({ env: { WORKRAIL_DATA_DIR: join(import.meta.filename, "data") } });
    expect(existsSync(join(import.meta.filename, "data"))).toBe(false);
    const failure = await failureOf(broken, SAVE, { summary: "s", project_path: broken.home.project });
    expect(failure).toMatchObject({
      code: "INTERNAL_ERROR",
      details: {
        provider: "storage",
        error: "STORAGE_UNAVAILABLE",
        retained: "memory",
        checkpointId: expect.stringMatching(UUID_V4),
        durability: "memory",
      },
    });
    expect(await broken.ok(GET, { id: failure.details["checkpointId"] })).toMatchObject({ summary: "s" });
    expect(await broken.ok(LIST)).toMatchObject({ total: 1, degraded: true, degraded_reason: expect.any(String) });
  });

  it("hides the details of unexpected errors", async () => {
    const store = new LazyStore(() => Promise.reject(new Error("a secret out of somebody's context")));
    const logged: unknown[] = [];
    const result = await call(store, (_, fields) => logged.push(fields?.["error"]));
    expect(readFailure(result)).toEqual({
      code: "INTERNAL_ERROR",
      message: "the tool failed unexpectedly",
      details: { provider: "storage", error: "INTERNAL", hint: "The cause is in the log." },
    });
    expect(logged).toEqual([new Error("a secret out of somebody's context")]);
  });
});

describe("TIMEOUT_ERROR", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it("comes after 30 seconds, and not before, with the elapsed time", async () => {
    const result = call(new LazyStore(() => new Promise(() => {})));
    let isAnswered = false;
    void result.then(() => (isAnswered = true));
    await vi.advanceTimersByTimeAsync(29_999);
    expect(isAnswered).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(readFailure(await result)).toEqual({
      code: "TIMEOUT_ERROR",
      message: "operation exceeded timeout",
      details: { timeout: "30s", elapsed: "30s", hint: expect.stringContaining("checkpoint_list") },
    });
    expect((await result)._meta).toMatchObject({ httpStatus: 504 });
  });
});

async function call(
  store: LazyStore,
  error: (message: string, fields?: Readonly<Record<string, unknown>>) => void = () => {},
): Promise<Parameters<typeof readFailure>[0]> {
  const tool = createTools(store).find(({ name }) => name === SAVE);
  if (tool === undefined) throw new Error(`There is no ${SAVE}.`);
  const ignore = (): void => {};
  const context = { client: undefined, signal: new AbortController().signal, progress: () => {}, rounded: [] };
  const log = { debug: ignore, info: ignore, warn: ignore, error };
  const result = await callTool(tool, { summary: "s", project_path: "/p" }, { call: context, log, tools: [] });
  return result as unknown as Parameters<typeof readFailure>[0];
}
