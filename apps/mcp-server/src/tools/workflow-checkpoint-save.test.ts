import { createHash, randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerProcess } from "../testing/server-process.ts";

const SAVE = "workflow_checkpoint_save";
const LOAD = "workflow_checkpoint_load";
const LIST = "workflow_checkpoint_list";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u;

let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

describe("a save", () => {
  it("answers with the fields that the caller needs to continue", async () => {
    const sessionId = randomUUID();
    const saved = await server.ok(SAVE, { sessionId, context: { b: 1 } });
    expect(saved).toEqual({ checkpointId: expect.stringMatching(UUID), sessionId, status: "SAVED", durability: "disk" });
  });

  it("answers with every field when asked for details, and the file exists", async () => {
    const sessionId = randomUUID();
    const saved = await server.ok(SAVE, { sessionId, context: { b: 1, a: [2] }, details: true });
    const blobPath = `contexts/${sessionId}/${String(saved["checkpointId"])}.json.gz`;
    // The canonical form of the context: sorted keys, no white space.
    const contextHash = createHash("sha256").update('{"a":[2],"b":1}').digest("hex");
    expect(saved).toEqual({
      checkpointId: expect.stringMatching(UUID),
      sessionId,
      sessionReason: "given",
      status: "SAVED",
      sizeBytes: expect.any(Number),
      parentId: null,
      createdAt: expect.any(String),
      contextHash,
      blobPath,
      durability: "disk",
    });
    const { metadata } = await server.ok(LOAD, { sessionId, full: true });
    expect(metadata).toMatchObject({ blobPath, contextHash, createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u) });
    const { size } = await stat(join(server.home.dataDir, blobPath));
    expect(size).toBe(saved["sizeBytes"]);
  });

  it("continues the latest checkpoint of its session", async () => {
    const sessionId = randomUUID();
    const first = await server.ok(SAVE, { sessionId, context: { step: 1 } });
    const second = await server.ok(SAVE, { sessionId, context: { step: 2 }, details: true });
    expect(second["parentId"]).toBe(first["checkpointId"]);
  });

  it("marks the end of a phase, even without changes, and the list finds it", async () => {
    const sessionId = randomUUID();
    const context = { goal: "Ship" };
    await server.ok(SAVE, { sessionId, context });
    const end = await server.ok(SAVE, { sessionId, context, phase: "plan" });
    expect(end["status"]).toBe("SAVED");
    expect((await server.ok(SAVE, { sessionId, context, phase: "plan" }))["checkpointId"]).toBe(end["checkpointId"]);
    await server.ok(SAVE, { sessionId, context: { goal: "Ship", step: 1 }, metadata: { phase: "mine" } });
    expect(await server.ok(LIST, { sessionId, phase: "plan" })).toMatchObject({
      total: 1,
      checkpoints: [{ checkpointId: end["checkpointId"], metadata: { phase: "plan" } }],
    });
    expect((await server.ok(LIST, { sessionId, phase: "mine" }))["total"]).toBe(0);
    expect((await server.ok(LOAD, { checkpointId: end["checkpointId"] }))["metadata"]).toMatchObject({ phase: "plan" });
  });

  it("names rule and place of possible secrets, saves them exactly, and logs none", async () => {
    const sessionId = randomUUID();
    const token = ["ghp", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].join("_");
    const context = { env: Array.from({ length: 30 }, (_, index) => ({ [`GITHUB_TOKEN_${index}`.repeat(20)]: token })) };
    await using talkative = await ServerProcess.start({ env: { WORKRAIL_LOG_LEVEL: "debug" } });
    const saved = await talkative.ok(SAVE, { sessionId, context });
    expect(saved["secrets"]).toMatchObject({ action: "warned", count: 30, found: { length: 5, 0: { rule: "github-token" } } });
    expect(JSON.stringify(saved["secrets"]).length).toBeLessThan(1_500);
    expect(JSON.stringify(saved)).not.toContain(token);
    expect((await talkative.ok(LOAD, { sessionId, full: true }))["context"]).toEqual(context);
    expect(JSON.stringify(talkative.log)).not.toContain(token);
    const database = new DatabaseSync(join(talkative.home.dataDir, "workrail.db"), { readOnly: true });
    expect(JSON.stringify(database.prepare("SELECT * FROM audit").all())).not.toContain(token);
    database.close();
  });

  it("refuses secrets when so configured, naming only rule and place", async () => {
    const token = ["ghp", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].join("_");
    await using strict = await ServerProcess.start({ env: { WORKRAIL_SECRETS: "block" } });
    const refused = await strict.call(SAVE, { context: { env: { token } } });
    expect(refused).toMatchObject({ isError: true, _meta: { code: "SECRET_FOUND", httpStatus: 422 } });
    expect(JSON.stringify(refused)).toContain('context[\\\"env\\\"][\\\"token\\\"]');
    expect(JSON.stringify(refused)).not.toContain(token);
    expect(JSON.stringify(strict.log)).not.toContain(token);
  });

  it("refuses an empty context, also in a first save, unless it is forced", async () => {
    const sessionId = randomUUID();
    for (const context of [{}, "{ }"]) {
      expect(await server.fails(SAVE, { sessionId, context })).toMatchObject({
        code: "INVALID_INPUT",
        text: expect.stringMatching(/context is empty.*only what changed as patch/u),
      });
    }
    await server.ok(SAVE, { sessionId, context: {}, force: true });
    expect((await server.ok(LOAD, { sessionId }))["context"]).toEqual({});
  });

  it("takes changes as a patch, stores the whole new state, and reports the effect", async () => {
    const sessionId = randomUUID();
    const state = { goal: "Ship", plan: [1, 2, 3, 4, 5], log: ["begun"], step: 1 };
    const base = await server.ok(SAVE, { sessionId, context: state });
    const inDetail = await server.ok(SAVE, { sessionId, patch: { set: { step: 1 } }, force: true, details: true });
    expect(inDetail["patched"]).toEqual({ base: base["checkpointId"], set: ["step"], keptKeys: 3 });
    const patch = { set: { step: 2, plan: [4, 5] }, append: { log: "built" }, remove: ["nothing"] };
    const saved = await server.ok(SAVE, { sessionId, patch });
    expect(saved["patched"]).toEqual({
      set: ["step", "plan"],
      appended: { log: 1 },
      notFound: ["nothing"],
      replaced: { plan: "5 items -> 2" },
      keptKeys: 1,
    });
    const { context } = await server.ok(LOAD, { sessionId, full: true });
    expect(JSON.stringify(context)).toBe(JSON.stringify({ goal: "Ship", plan: [4, 5], log: ["begun", "built"], step: 2 }));
  });

  it("names entries that the parent had and the state lacks, at the save and at a load", async () => {
    const sessionId = randomUUID();
    await server.ok(SAVE, { sessionId, context: { goal: "Ship", constraints: ["never push"], step: 1 } });
    const saved = await server.ok(SAVE, { sessionId, context: { step: 2 } });
    expect(saved).toMatchObject({ droppedKeys: ["goal", "constraints"], warning: expect.stringContaining("CRITICAL: goal, constraints") });
    expect(await server.ok(LOAD, { sessionId })).toMatchObject({ droppedKeys: ["goal", "constraints"] });
    expect(await server.ok("workflow_resume", { sessionId })).toMatchObject({ droppedKeys: ["goal", "constraints"] });
  });

  it("reads a context and a patch from JSON text, reports that, and names integers that were rounded", async () => {
    const sessionId = randomUUID();
    const first = await server.ok(SAVE, { sessionId, context: '{"goal":"Ship","id":9007199254740993}' });
    expect(first).toMatchObject({ parsedFromText: ["context"], roundedNumbers: { count: 1, integers: ["9007199254740993"] } });
    const second = await server.ok(SAVE, { sessionId, patch: { set: '{"id":9007199254740995,"text":"[1]"}' } });
    expect(second).toMatchObject({ parsedFromText: ["patch.set"], roundedNumbers: { count: 1, integers: ["9007199254740995"] } });
    expect((await server.ok(LOAD, { sessionId }))["context"]).toMatchObject({ goal: "Ship", text: "[1]" });
  });

  it.each([
    ["values without set", { patch: { step: 4 } }, 'New values go into set: {"patch":{"set":{"step":...}}}'],
    ["context and patch together", { context: { a: 1 }, patch: { set: { step: 4 } } }, 'leave context out: {"patch":{"set":{"step":...}}}'],
    ["a missing parent", { patch: { set: { "/plann/0": 1 } } }, "It has: goal, notes."],
    ["items for a text", { patch: { append: { notes: ["x"] } } }, 'patch.append names "notes", which is a text, not a list'],
    ["a text for a list", { patch: { remove: "notes" } }, 'Send {"patch":{"remove":["notes"]}}'],
  ])("answers %s with the right call", async (_what, given, told) => {
    const sessionId = randomUUID();
    await server.ok(SAVE, { sessionId, context: { goal: "Ship", notes: "text" } });
    expect((await server.fails(SAVE, { sessionId, ...given })).text).toContain(told);
  });

  it("names the existing sessions when a patch has no base", async () => {
    await using own = await ServerProcess.start();
    await own.ok(SAVE, { sessionId: "login", context: { goal: "Ship" } });
    const failure = await own.fails(SAVE, { sessionId: "logn", patch: { set: { step: 1 } } });
    expect(failure).toMatchObject({ code: "SESSION_NOT_FOUND", httpStatus: 404, details: { sessions: ["login"] } });
    expect(failure.text).toContain("A patch never starts a session. Sessions: login.");
  });

  it("reports how many old checkpoints were removed for it", async () => {
    await using small = await ServerProcess.start({ env: { WORKRAIL_MAX_CHECKPOINTS: "2" } });
    for (const step of [1, 2]) expect(await small.ok(SAVE, { sessionId: "s", context: { step } })).not.toHaveProperty("pruned");
    expect((await small.ok(SAVE, { sessionId: "s", context: { step: 3 } }))["pruned"]).toBe(1);
    expect((await small.ok(LIST, { sessionId: "s" }))["total"]).toBe(2);
  });
});

describe("an unchanged context", () => {
  it("is skipped, with the code in _meta and the checkpoint that holds it", async () => {
    const sessionId = randomUUID();
    const saved = await server.call(SAVE, { sessionId, context: { a: 1, b: 2 } });
    const skipped = await server.call(SAVE, { sessionId, context: { a: 1, b: 2 } });
    expect(saved._meta).toBeUndefined();
    expect(skipped._meta).toEqual({ code: "CONTEXT_UNCHANGED", httpStatus: 200 });
    expect(skipped.isError).toBeUndefined();
    expect(skipped.structuredContent).toEqual({ ...saved.structuredContent, status: "SKIPPED_UNCHANGED" });
    expect((await server.ok(LIST, { sessionId }))["total"]).toBe(1);
  });

  it("is saved with force", async () => {
    const sessionId = randomUUID();
    const first = await server.ok(SAVE, { sessionId, context: { a: 1 } });
    const forced = await server.ok(SAVE, { sessionId, context: { a: 1 }, force: true, details: true });
    expect(forced).toMatchObject({ status: "SAVED", parentId: first["checkpointId"] });
    expect(await server.ok(SAVE, { sessionId, context: { a: 1 }, force: false })).toMatchObject({ status: "SKIPPED_UNCHANGED" });
  });

  it("is saved when it equals an earlier checkpoint that is not the latest", async () => {
    const sessionId = randomUUID();
    for (const a of [1, 2, 1]) expect(await server.ok(SAVE, { sessionId, context: { a } })).toMatchObject({ status: "SAVED" });
  });

  it("reports which input was not stored", async () => {
    const sessionId = randomUUID();
    await server.ok(SAVE, { sessionId, context: { a: 1, b: 2 }, metadata: { name: "n", tags: ["t"], ticket: 1 } });
    const again = (context: object, metadata: object): Promise<Record<string, unknown>> =>
      server.ok(SAVE, { sessionId, context, metadata });
    expect(await again({ a: 1, b: 2 }, { name: "n", tags: ["t"], ticket: 1 })).not.toHaveProperty("ignored");
    expect((await again({ a: 1, b: 2 }, { name: "other" }))["ignored"]).toEqual(["name"]);
    expect((await again({ a: 1, b: 2 }, { tags: ["u"] }))["ignored"]).toEqual(["tags"]);
    expect((await again({ a: 1, b: 2 }, { ticket: 2 }))["ignored"]).toEqual(["metadata"]);
    expect((await again({ b: 2, a: 1 }, {}))["ignored"]).toEqual(["keyOrder"]);
    expect((await again({ b: 2, a: 1 }, { name: "x", tags: ["y"], z: 1 }))["ignored"]).toEqual(["name", "tags", "metadata", "keyOrder"]);
  });

  it("reports ignored ids too, but not the client's name", async () => {
    const given = { sessionId: randomUUID(), context: { a: 1 } };
    const { checkpointId: parentId } = await server.ok(SAVE, { context: { other: 1 }, sessionId: randomUUID() });
    await server.ok(SAVE, { ...given, agentId: "somebody else" });
    expect(await server.ok(SAVE, given)).not.toHaveProperty("ignored");
    const again = await server.ok(SAVE, { ...given, checkpointId: randomUUID(), parentId, workflowId: "w", agentId: "a" });
    expect(again).toMatchObject({ status: "SKIPPED_UNCHANGED", ignored: ["checkpointId", "parentId", "workflowId", "agentId"] });
  });
});

describe("metadata", () => {
  it("is stored and returned, including unknown keys", async () => {
    const sessionId = randomUUID();
    const own = { ticket: "T-1", nested: { deep: [1, null, { "a/b~c": "ü" }] }, empty: "" };
    const saved = await server.ok(SAVE, {
      sessionId,
      context: {},
      force: true,
      metadata: { name: "Before the refactoring", tags: ["a", "b", "a"], ...own },
      workflowId: "flow",
      details: true,
    });
    const loaded = await server.ok(LOAD, { sessionId, full: true });
    expect(loaded["metadata"]).toEqual({
      ...own,
      id: saved["checkpointId"],
      sessionId,
      name: "Before the refactoring",
      tags: ["a", "b"],
      agentId: "test-client",
      workflowId: "flow",
      project: server.home.project,
      sessionName: expect.stringMatching(/^workrail-mcp-test-\w+ \d{4}-\d\d-\d\d$/u),
      createdAt: expect.any(String),
      lastAccessedAt: expect.any(String),
      contextSizeBytes: saved["sizeBytes"],
      contextHash: expect.any(String),
      blobPath: expect.any(String),
      parentId: null,
      kind: "workflow",
      sequence: 1,
      layers: {},
    });
  });

  it("from a load may be sent back: the server's own fields are named and ignored", async () => {
    const sessionId = randomUUID();
    await server.ok(SAVE, { sessionId, context: { a: 1 }, metadata: { name: "n", ticket: 7 } });
    const { metadata } = await server.ok(LOAD, { sessionId, full: true });
    const saved = await server.ok(SAVE, { sessionId, context: { a: 2 }, metadata: metadata as object });
    expect(saved["ignoredMetadata"]).toEqual(
      expect.arrayContaining(["id", "sessionId", "createdAt", "lastAccessedAt", "contextSizeBytes", "contextHash", "blobPath", "sequence"]),
    );
    const again = (await server.ok(LOAD, { sessionId, full: true }))["metadata"];
    expect(again).toMatchObject({ name: "n", ticket: 7, id: saved["checkpointId"], sequence: 2 });
  });

  it("keeps a key named __proto__ in context and metadata", async () => {
    const sessionId = randomUUID();
    const own = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}') as Record<string, unknown>;
    await server.ok(SAVE, { sessionId, context: own, metadata: own });
    const { context, metadata } = await server.ok(LOAD, { sessionId });
    expect(JSON.stringify(context)).toBe(JSON.stringify(own));
    expect(JSON.stringify(metadata)).toContain('"__proto__":{"polluted":true}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it.each([
    ["a name that is no text", { name: 1 }],
    ["an empty name", { name: "" }],
    ["a name with half a surrogate pair", { name: "\ud83e" }],
    ["a name of 501 characters", { name: "n".repeat(501) }],
    ["tags that are no list", { tags: "t" }],
    ["a tag that is no text", { tags: [1] }],
    ["101 tags", { tags: Array.from({ length: 101 }, (_, index) => `t${index}`) }],
    ["16 KiB of other keys", { other: "x".repeat(17_000) }],
  ])("with %s is refused", async (_what, metadata) => {
    const { code, httpStatus, details } = await server.fails(SAVE, { sessionId: "refused", context: { a: 1 }, metadata });
    expect({ code, httpStatus }).toEqual({ code: "INVALID_INPUT", httpStatus: 400 });
    expect(details).toMatchObject({ field: expect.any(String) });
  });
});

describe("the saving agent", () => {
  it("is the client, unless the call names another", async () => {
    const agentOf = async (given: object): Promise<unknown> => {
      const sessionId = randomUUID();
      await server.ok(SAVE, { sessionId, context: { a: 1 }, ...given });
      const { metadata, origin } = await server.ok(LOAD, { sessionId, full: true });
      expect((origin as Record<string, unknown>)["agentId"]).toBe((metadata as Record<string, unknown>)["agentId"]);
      return (metadata as Record<string, unknown>)["agentId"];
    };
    expect(await agentOf({})).toBe("test-client");
    expect(await agentOf({ metadata: { agentId: "from metadata" } })).toBe("from metadata");
    expect(await agentOf({ agentId: "given", metadata: { agentId: "from metadata" } })).toBe("given");
  });
});

describe("the session of a save that names none", () => {
  it("is derived from workflow and context first, and then the same for this process", async () => {
    const workflowId = `flow ${randomUUID()}`;
    const first = await server.ok(SAVE, { workflowId, context: { step: 1 } });
    const second = await server.ok(SAVE, { workflowId, context: { step: 2 }, details: true });
    expect(first).toMatchObject({ sessionReason: "derived", status: "SAVED" });
    expect(second).toMatchObject({ sessionReason: "process", sessionId: first["sessionId"], parentId: first["checkpointId"] });
  });

  it("is found again by another process that begins with the same context", async () => {
    const workflowId = `flow ${randomUUID()}`;
    const first = await server.ok(SAVE, { workflowId, context: { step: 1 } });
    await using other = await ServerProcess.start({ home: server.home });
    expect(await other.ok(SAVE, { workflowId, context: { step: 1 } })).toMatchObject({
      sessionReason: "derived",
      sessionId: first["sessionId"],
      status: "SKIPPED_UNCHANGED",
    });
  });

  it("is new without a workflow, then the same for this process", async () => {
    await using other = await ServerProcess.start({ home: server.home });
    const first = await other.ok(SAVE, { context: { step: 1 } });
    const second = await other.ok(SAVE, { context: { step: 2 } });
    expect(first).toMatchObject({ sessionReason: "fresh", sessionId: expect.stringMatching(UUID) });
    expect(second).toMatchObject({ sessionReason: "process", sessionId: first["sessionId"] });
  });

  it("is the one that was loaded last", async () => {
    const sessionId = randomUUID();
    await server.ok(SAVE, { sessionId, context: { step: 1 } });
    await using other = await ServerProcess.start({ home: server.home });
    await other.ok(LOAD, { sessionId });
    expect(await other.ok(SAVE, { context: { step: 2 } })).toMatchObject({ sessionReason: "process", sessionId });
  });
});

describe("expectedParentId", () => {
  it("allows a save while it is still the latest", async () => {
    const sessionId = randomUUID();
    const { checkpointId } = await server.ok(SAVE, { sessionId, context: { step: 1 } });
    expect(await server.ok(SAVE, { sessionId, context: { step: 2 }, expectedParentId: checkpointId, details: true })).toMatchObject({
      parentId: checkpointId,
    });
  });

  it("refuses a save that would skip another agent's save", async () => {
    const sessionId = randomUUID();
    const { checkpointId } = await server.ok(SAVE, { sessionId, context: { step: 1 } });
    const other = await server.ok(SAVE, { sessionId, context: { step: "other" } });
    const failure = await server.fails(SAVE, { sessionId, context: { step: 2 }, expectedParentId: checkpointId });
    expect(failure).toMatchObject({
      code: "CONFLICT",
      httpStatus: 409,
      details: { sessionId, expectedParentId: checkpointId, actualParentId: other["checkpointId"] },
    });
    expect((await server.ok(LOAD, { sessionId }))["context"]).toEqual({ step: "other" });
  });

  it("recognises a repeated save whose answer was lost", async () => {
    const sessionId = randomUUID();
    const { checkpointId } = await server.ok(SAVE, { sessionId, context: { step: 1 } });
    const save = { sessionId, context: { step: 2 }, expectedParentId: checkpointId };
    const first = await server.ok(SAVE, save);
    expect(await server.ok(SAVE, save)).toMatchObject({ status: "SKIPPED_UNCHANGED", checkpointId: first["checkpointId"] });
  });
});

describe("parentId", () => {
  it("forks from an earlier checkpoint, also one of another session", async () => {
    const sessionId = randomUUID();
    const first = await server.ok(SAVE, { sessionId, context: { step: 1 } });
    await server.ok(SAVE, { sessionId, context: { step: 2 } });
    const from = { parentId: first["checkpointId"], details: true };
    const fork = await server.ok(SAVE, { sessionId, context: { step: "other way" }, ...from });
    const elsewhere = await server.ok(SAVE, { sessionId: randomUUID(), context: { step: 1 }, ...from });
    expect([fork["parentId"], elsewhere["parentId"]]).toEqual([first["checkpointId"], first["checkpointId"]]);
    expect((await server.ok(LOAD, { sessionId }))["checkpointId"]).toBe(fork["checkpointId"]);
  });

  it("must name a checkpoint", async () => {
    const failure = await server.fails(SAVE, { sessionId: randomUUID(), context: { a: 1 }, parentId: "nobody" });
    expect(failure).toMatchObject({
      code: "CHECKPOINT_NOT_FOUND",
      httpStatus: 404,
      details: { checkpointId: "nobody", field: "parentId" },
    });
  });
});

describe("checkpointId", () => {
  it("makes repeating a save harmless, even after saves of others", async () => {
    const sessionId = randomUUID();
    const checkpointId = `mine-${randomUUID()}`;
    expect(await server.ok(SAVE, { sessionId, context: { step: 1 }, checkpointId })).toMatchObject({ status: "SAVED", checkpointId });
    await server.ok(SAVE, { sessionId, context: { step: 2 } });
    expect(await server.ok(SAVE, { sessionId, context: { step: 1 }, checkpointId })).toMatchObject({
      status: "SKIPPED_UNCHANGED",
      checkpointId,
    });
    expect((await server.ok(LIST, { sessionId }))["total"]).toBe(2);
  });

  it("always names the same content", async () => {
    const sessionId = randomUUID();
    const checkpointId = `mine-${randomUUID()}`;
    await server.ok(SAVE, { sessionId, context: { step: 1 }, checkpointId });
    for (const other of [
      { sessionId, context: { step: 2 } },
      { sessionId: randomUUID(), context: { step: 1 } },
    ]) {
      expect(await server.fails(SAVE, { ...other, checkpointId })).toMatchObject({
        code: "CONFLICT",
        httpStatus: 409,
        details: { checkpointId },
      });
    }
  });
});

describe("retention of all in metadata", () => {
  it("keeps all checkpoints of the session", async () => {
    const { sessionId } = await server.ok(SAVE, { sessionId: "kept: all", context: { a: 1 }, metadata: { retention: "all" } });
    expect(sessionId).toBe("kept: all");
    expect((await server.ok("workflow_checkpoint_list", { sessionId, details: true }))["session"]).toMatchObject({
      tags: ["keep"],
      retention: "all",
    });
  });
});

describe("an input that cannot be saved", () => {
  it.each([
    ["no context", {}, /^INVALID_INPUT: context or patch is required\./u],
    ["a list", { context: [] }, /^INVALID_INPUT: context must be an object/u],
    ["null", { context: null }, /^INVALID_INPUT: context must be an object/u],
    ["text that is not JSON", { context: "goal: ship it" }, /^INVALID_INPUT: context is a text that is not JSON/u],
    [
      "a sessionId with a control character",
      { context: { a: 1 }, sessionId: "a\u0007b" },
      /^INVALID_INPUT: sessionId must be printable, but contains the character U\+0007/u,
    ],
    ["an empty sessionId", { context: { a: 1 }, sessionId: "" }, /^INVALID_INPUT: sessionId must be a text of 1 to 128 characters/u],
    ["a sessionId of 129 characters", { context: { a: 1 }, sessionId: "x".repeat(129) }, /^INVALID_INPUT: sessionId/u],
    ["a checkpointId with a slash", { context: { a: 1 }, checkpointId: "a/b" }, /^INVALID_INPUT: checkpointId/u],
    ["a parentId with a null byte", { context: { a: 1 }, parentId: "a\0" }, /^INVALID_INPUT: parentId/u],
    ["an expectedParentId with dots", { context: { a: 1 }, expectedParentId: ".." }, /^INVALID_INPUT: expectedParentId/u],
    ["an empty workflowId", { context: { a: 1 }, workflowId: "" }, /^INVALID_INPUT: workflowId/u],
    ["an agentId of 501 characters", { context: { a: 1 }, agentId: "x".repeat(501) }, /^INVALID_INPUT: agentId/u],
    ["force that is no boolean", { context: { a: 1 }, force: "yes" }, /^INVALID_INPUT: force must be a boolean, not a string/u],
    ["a parameter that there is not", { context: { a: 1 }, sesion: "s" }, /^INVALID_INPUT: There is no parameter "sesion"/u],
  ])("%s is answered with the fault", async (_what, given, text) => {
    const failure = await server.fails(SAVE, given);
    expect(failure).toMatchObject({ code: "INVALID_INPUT", httpStatus: 400, text: expect.stringMatching(text) });
  });

  it("is a checkpoint over the limit of its size, compressed", async () => {
    await using small = await ServerProcess.start({ env: { WORKRAIL_MAX_CHECKPOINT_BYTES: "600" } });
    const noise = createHash("sha512").update("noise").digest("hex").repeat(1);
    const failure = await small.fails(SAVE, {
      context: { noise: Array.from({ length: 9 }, (_, n) => createHash("sha512").update(`${noise}${n}`).digest("base64")) },
    });
    expect(failure).toMatchObject({
      code: "STORAGE_QUOTA_EXCEEDED",
      httpStatus: 413,
      details: { maxCheckpointBytes: 600, sizeBytes: expect.any(Number) },
    });
    expect(await small.ok(SAVE, { context: { a: 1 } })).toMatchObject({ status: "SAVED" });
  });

  it("is a context over the limit of its raw size", async () => {
    await using small = await ServerProcess.start({ env: { WORKRAIL_MAX_CONTEXT_BYTES: "2000" } });
    expect(await small.fails(SAVE, { context: { a: "x".repeat(2_000) } })).toMatchObject({ code: "TOO_LARGE", httpStatus: 413 });
    expect(await small.ok(SAVE, { context: { a: "x".repeat(1_000) } })).toMatchObject({ status: "SAVED" });
  });
});
