import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sizeOfAnswer } from "../testing/answer-size.ts";
import type { Fields } from "../testing/contextd.ts";
import { ServerProcess } from "../testing/server-process.ts";

const SAVE = "workflow_checkpoint_save";
const LOAD = "workflow_checkpoint_load";
const RESUME = "workflow_resume";

/** Returns the tokens of an answer without the context. */
function envelopeOf({ context: _context, ...envelope }: Fields): number {
  return sizeOfAnswer(envelope).tokens;
}

describe("the part of a small answer around the context", () => {
  let server: ServerProcess;
  const sessionId = randomUUID();
  const answers: Record<string, Fields> = {};

  beforeAll(async () => {
    server = await ServerProcess.start();
    answers["first save"] = await server.ok(SAVE, { sessionId, context: { goal: "Fix the login", plan: ["a"] } });
    answers["second save"] = await server.ok(SAVE, { sessionId, context: { goal: "Fix the login", plan: ["a", "b"] } });
    answers["skipped save"] = await server.ok(SAVE, { sessionId, context: { goal: "Fix the login", plan: ["a", "b"] } });
    answers["load"] = await server.ok(LOAD, { sessionId });
    answers["load of a key"] = await server.ok(LOAD, { sessionId, keys: ["goal"] });
    answers["resume"] = await server.ok(RESUME, { sessionId });
    answers["resume in full"] = await server.ok(RESUME, { sessionId, depth: "full" });
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it.each(["first save", "second save", "skipped save", "load", "load of a key", "resume", "resume in full"])(
    "takes at most 120 tokens, with a session id of 36 characters: %s",
    (name) => {
      expect(envelopeOf(answers[name] ?? {})).toBeLessThanOrEqual(120);
      expect(answers[name]).toMatchObject({ sessionId, checkpointId: expect.any(String), durability: "disk" });
    },
  );

  it("has the fields that the specification requires", () => {
    expect(answers["second save"]).toMatchObject({
      status: "SAVED",
      sizeBytes: expect.any(Number),
      parentId: answers["first save"]?.["checkpointId"],
    });
    expect(answers["skipped save"]).toMatchObject({ status: "SKIPPED_UNCHANGED", createdAt: expect.any(String) });
    expect(answers["load"]).toMatchObject({ context: { goal: "Fix the login" }, metadata: {}, origin: { savedAt: expect.any(String) } });
  });

  it("has labels, and all metadata with full", async () => {
    const { checkpointId } = await server.ok(SAVE, {
      sessionId,
      context: { a: 1 },
      metadata: { name: "n", tags: ["t"], own: 1 },
      phase: "p",
    });
    const brief = await server.ok(LOAD, { checkpointId });
    expect(brief["metadata"]).toEqual({ name: "n", tags: ["t"], own: 1, phase: "p" });
    const whole = await server.ok(LOAD, { checkpointId, full: true });
    expect(whole["metadata"]).toMatchObject({
      id: checkpointId,
      sessionId,
      contextHash: expect.any(String),
      blobPath: expect.any(String),
      sequence: 3,
      kind: "workflow",
    });
  });
});
