import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerProcess } from "../testing/server-process.ts";

const SAVE = "workflow_checkpoint_save";
const LOAD = "workflow_checkpoint_load";
const MARK = "workflow_mark_critical";

let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

async function startSession(context: object): Promise<string> {
  const sessionId = randomUUID();
  await server.ok(SAVE, { sessionId, context });
  return sessionId;
}

async function criticalKeys(at: ServerProcess, sessionId: string): Promise<unknown> {
  const { metadata } = await at.ok(LOAD, { sessionId });
  return (metadata as Record<string, unknown>)["criticalKeys"];
}

describe("marking a key", () => {
  it("succeeds when the latest context has it", async () => {
    const sessionId = await startSession({ goal: "g", other: 1 });
    expect(await server.ok(MARK, { sessionId, contextKey: "goal" })).toEqual({
      status: "SUCCESS",
      message: '"goal" is critical in this session from now on.',
      sessionId,
      criticalKeys: ["goal"],
      durability: "disk",
    });
    expect(await criticalKeys(server, sessionId)).toEqual(["goal"]);
  });

  it("twice is the same as once", async () => {
    const sessionId = await startSession({ goal: "g" });
    await server.ok(MARK, { sessionId, contextKey: "goal", critical: true });
    expect(await server.ok(MARK, { sessionId, contextKey: "goal" })).toMatchObject({ status: "SUCCESS", criticalKeys: ["goal"] });
  });

  it("answers KEY_NOT_FOUND, which is no error, when the latest context lacks it", async () => {
    const sessionId = await startSession({ nested: { goal: 1 } });
    for (const contextKey of ["goal", "nested.goal", "__proto__", "constructor", ""]) {
      expect(await server.ok(MARK, { sessionId, contextKey })).toMatchObject({ status: "KEY_NOT_FOUND", sessionId, criticalKeys: [] });
    }
  });

  it("looks at the latest checkpoint, not at earlier ones", async () => {
    const sessionId = await startSession({ old: 1 });
    await server.ok(SAVE, { sessionId, context: { fresh: 1 } });
    expect(await server.ok(MARK, { sessionId, contextKey: "old" })).toMatchObject({ status: "KEY_NOT_FOUND" });
    expect(await server.ok(MARK, { sessionId, contextKey: "fresh" })).toMatchObject({ status: "SUCCESS" });
  });

  it("accepts keys of any characters", async () => {
    const context = JSON.parse('{"__proto__":1,"a/b~c.d":2,"":3,"味噌":4,"\\ud83e":5}') as Record<string, unknown>;
    const sessionId = await startSession(context);
    const keys = Object.keys(context);
    for (const contextKey of keys) expect(await server.ok(MARK, { sessionId, contextKey })).toMatchObject({ status: "SUCCESS" });
    expect(((await criticalKeys(server, sessionId)) as string[]).toSorted()).toEqual(keys.toSorted());
  });

  it("holds for later checkpoints, for other processes, and while the key is missing for some time", async () => {
    const sessionId = await startSession({ goal: "first" });
    await server.ok(MARK, { sessionId, contextKey: "goal" });
    await server.ok(SAVE, { sessionId, context: { other: 1 } });
    await server.ok(SAVE, { sessionId, context: { goal: "later", filler: "word ".repeat(30_000), small: 1 } });
    await using elsewhere = await ServerProcess.start({ home: server.home });
    const loaded = await elsewhere.ok(LOAD, { sessionId, budgetTokens: 1 });
    expect(loaded["context"]).toMatchObject({ goal: "later" });
    expect(await criticalKeys(elsewhere, sessionId)).toEqual(["goal"]);
  });
});

describe("removing a mark", () => {
  it("is done with critical: false", async () => {
    const sessionId = await startSession({ goal: 1, plan: 2 });
    await server.ok(MARK, { sessionId, contextKey: "goal" });
    await server.ok(MARK, { sessionId, contextKey: "plan" });
    expect(await server.ok(MARK, { sessionId, contextKey: "goal", critical: false })).toEqual({
      status: "SUCCESS",
      message: '"goal" is no longer critical.',
      sessionId,
      criticalKeys: ["plan"],
      durability: "disk",
    });
    expect(await server.ok(MARK, { sessionId, contextKey: "goal", critical: false })).toMatchObject({
      status: "KEY_NOT_FOUND",
      criticalKeys: ["plan"],
    });
    await server.ok(MARK, { sessionId, contextKey: "plan", critical: false });
    expect(await criticalKeys(server, sessionId)).toBeUndefined();
  });

  it("works for a key that the latest context no longer has", async () => {
    const sessionId = await startSession({ goal: 1 });
    await server.ok(MARK, { sessionId, contextKey: "goal" });
    await server.ok(SAVE, { sessionId, context: { other: 1 } });
    expect(await server.ok(MARK, { sessionId, contextKey: "goal", critical: false })).toMatchObject({
      status: "SUCCESS",
      criticalKeys: [],
    });
  });
});

describe("the session of a mark that names none", () => {
  it("is the only one in use; with several, or none, the candidates are listed and one must be named", async () => {
    await using fresh = await ServerProcess.start({ home: server.home });
    expect(await fresh.fails(MARK, { contextKey: "goal" })).toMatchObject({
      code: "INVALID_INPUT",
      details: { field: "sessionId", sessions: [] },
    });
    await fresh.ok(SAVE, { sessionId: "first", context: { goal: 1 } });
    expect(await fresh.ok(MARK, { contextKey: "goal" })).toMatchObject({ status: "SUCCESS", sessionId: "first" });
    await fresh.ok(SAVE, { sessionId: "second", context: { goal: 1 } });
    const failure = await fresh.fails(MARK, { contextKey: "goal" });
    expect(failure).toMatchObject({
      code: "INVALID_INPUT",
      httpStatus: 400,
      details: { field: "sessionId", sessions: ["first", "second"] },
    });
    expect(failure.text).toContain("in use: first, second.");
    expect(await fresh.ok(MARK, { sessionId: "second", contextKey: "goal" })).toMatchObject({ sessionId: "second" });
  });
});

describe("a mark that fails", () => {
  it("because of an unknown session reports that", async () => {
    expect(await server.fails(MARK, { sessionId: "unknown", contextKey: "goal" })).toMatchObject({
      code: "SESSION_NOT_FOUND",
      httpStatus: 404,
    });
  });

  it.each([
    ["contextKey", { sessionId: "s" }],
    ["contextKey", { sessionId: "s", contextKey: 1 }],
    ["critical", { sessionId: "s", contextKey: "a", critical: "no" }],
    ["sessionId", { sessionId: "a\u0007b", contextKey: "a" }],
  ])("because of its %s reports that", async (field, given) => {
    const failure = await server.fails(MARK, given);
    expect(failure).toMatchObject({ code: "INVALID_INPUT", httpStatus: 400 });
    expect(failure.text).toContain(field);
  });

  it("because of a key that is too long reports that", async () => {
    const key = "k".repeat(1_001);
    const sessionId = await startSession({ [key]: 1 });
    const failure = await server.fails(MARK, { sessionId, contextKey: key });
    expect(failure).toMatchObject({ code: "INVALID_INPUT", details: { field: "contextKey" } });
  });

  it("because the marks of the session would take more than 4 KiB reports that", async () => {
    const context = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`${index}${"k".repeat(900)}`, index]));
    const sessionId = await startSession(context);
    const keys = Object.keys(context);
    for (const contextKey of keys.slice(0, 4)) await server.ok(MARK, { sessionId, contextKey });
    const failure = await server.fails(MARK, { sessionId, contextKey: keys[4] });
    expect(failure).toMatchObject({ code: "INVALID_INPUT", details: { field: "contextKey", pins: 4 } });
    await server.ok(MARK, { sessionId, contextKey: keys[0], critical: false });
    expect(await server.ok(MARK, { sessionId, contextKey: keys[4] })).toMatchObject({ status: "SUCCESS" });
  });
});
