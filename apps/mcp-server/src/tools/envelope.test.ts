import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sizeOfAnswer } from "../testing/answer-size.ts";
import type { Fields } from "../testing/contextd.ts";
import { ServerProcess, TestHome } from "../testing/server-process.ts";

const SAVE = "workflow_checkpoint_save";
const LOAD = "workflow_checkpoint_load";
const LIST = "workflow_checkpoint_list";
const RESUME = "workflow_resume";
const COMPRESS = "workflow_context_compress";
const PRIORITIZE = "workflow_context_prioritize";
const MARK = "workflow_mark_critical";

/** Most tokens of a small answer beside the caller's own content. */
const MOST_TOKENS = 120;
/** Most tokens that each further item of a list adds. */
const MOST_OF_AN_ITEM = 100;

/** Fields with content of the caller. */
const OWN =
  /^(?:context|goal|name|tags|keys?|droppedKeys|set|criticalKeys|summary|description|project_path|snippet|query|file|filename|topic)$/u;

/** Returns the tokens of an answer without the caller's content. Ids are replaced by one, since the tokens of random ids differ. */
function envelopeOf(answer: unknown): number {
  const envelope = JSON.stringify(answer, (field, value: unknown) => (OWN.test(field) ? undefined : value));
  const steady = envelope.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu, "f47ac10b-58cc-4372-a567-0e02b2c3d479");
  return sizeOfAnswer(JSON.parse(steady) as object).tokens;
}

function fieldNamesOf(answer: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  JSON.stringify(answer, (field, value: unknown) => {
    names.add(field);
    return value;
  });
  return names;
}

describe("a small answer", () => {
  let home: TestHome;
  let server: ServerProcess;
  const answers = new Map<string, Fields>();

  async function note(title: string, tool: string, given: Fields): Promise<Fields> {
    const answer = await server.ok(tool, given);
    answers.set(title, answer);
    return answer;
  }

  beforeAll(async () => {
    home = await TestHome.create();
    for (const args of [
      ["init", "-q", "-b", "main"],
      ["config", "user.email", "a@b.c"],
      ["config", "user.name", "a"],
    ]) {
      execFileSync("git", args, { cwd: home.project });
    }
    execFileSync("git", ["commit", "-q", "--allow-empty", "-m", "Begin"], { cwd: home.project });
    server = await ServerProcess.start({ home, clientName: "claude-code" });
    const state = { goal: "Fix the login", plan: ["a"] };
    const { sessionId, checkpointId } = await note("a first save", SAVE, { context: state });
    await note("resume without an id", RESUME, {});
    await note("a save of a whole state", SAVE, { sessionId, context: { ...state, plan: ["a", "b"] } });
    await note("a save of a patch", SAVE, { sessionId, patch: { set: { plan: ["a"] } } });
    await note("a skipped save", SAVE, { sessionId, context: state });
    await note("a load", LOAD, { sessionId });
    await note("a load of a key", LOAD, { sessionId, keys: ["goal"] });
    await note("a resume", RESUME, { sessionId });
    await note("a full resume", RESUME, { checkpointId, depth: "full" });
    await note("a list of one", LIST, { sessionId, limit: 1 });
    await note("a compression of a saved context", COMPRESS, { sessionId });
    await note("a compression that shortens", COMPRESS, {
      context: { goal: "Fix", notes: "A long text. ".repeat(99) },
      budgetTokens: 50,
    });
    await note("a prioritized context", PRIORITIZE, { context: { goal: "Fix the login" } });
    const small = await server.ok(SAVE, { sessionId: "small", context: { goal: "Fix the login" } });
    await note("a prioritized saved context, only reported", PRIORITIZE, { checkpointId: small["checkpointId"], dryRun: true });
    await note("a mark", MARK, { sessionId, contextKey: "goal" });
    await note("a mark of an unknown key", MARK, { sessionId, contextKey: "goals" });
    const { id } = await note("a note", "checkpoint_save", { summary: "Fixed the login", project_path: home.project });
    await note("a list of one note", "checkpoint_list", { limit: 1 });
    await note("one hit", "checkpoint_search", { query: "fixed", top_k: 1 });
    await note("a whole note", "checkpoint_get", { id });
    await note("a deleted note", "checkpoint_delete", { id });
    await note("a stored conversation", "store_session", { conversation: "User: hello", topic: "t" });
    for (let step = 0; step < 9; step++) {
      await server.ok(SAVE, { sessionId, context: { ...state, step } });
      await server.ok("checkpoint_save", { summary: `Fixed the login, step ${step}`, project_path: home.project });
    }
    await note("a list of ten", LIST, { sessionId, limit: 10 });
    await note("a list of ten notes", "checkpoint_list", { limit: 10 });
    await note("ten hits", "checkpoint_search", { query: "login", top_k: 10 });
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });

  it.each([
    "a first save",
    "a save of a whole state",
    "a save of a patch",
    "a skipped save",
    "a load",
    "a load of a key",
    "resume without an id",
    "a resume",
    "a full resume",
    "a list of one",
    "a compression of a saved context",
    "a compression that shortens",
    "a prioritized context",
    "a prioritized saved context, only reported",
    "a mark",
    "a mark of an unknown key",
    "a note",
    "a list of one note",
    "one hit",
    "a whole note",
    "a deleted note",
    "a stored conversation",
  ])(`has at most ${MOST_TOKENS} tokens around the caller's content: %s`, (title) => {
    const tokens = envelopeOf(answers.get(title));
    process.stdout.write(`${title}: ${tokens} tokens\n`);
    expect(tokens).toBeGreaterThan(0);
    expect(tokens).toBeLessThanOrEqual(MOST_TOKENS);
  });

  it.each([
    ["a list of ten", "checkpoints"],
    ["a list of ten notes", "checkpoints"],
    ["ten hits", "results"],
  ])(`grows by at most ${MOST_OF_AN_ITEM} tokens with each item: %s`, (title, list) => {
    const answer = answers.get(title) ?? {};
    const items = answer[list] as readonly unknown[];
    expect(items.length).toBeGreaterThan(5);
    expect(envelopeOf(answer)).toBeLessThanOrEqual(MOST_TOKENS + MOST_OF_AN_ITEM * (items.length - 1));
  });

  it("has no digest, path, size or table of layers", () => {
    const seldomNeeded = ["contextHash", "blobPath", "sizeBytes", "contextSizeBytes", "layers", "sequence", "commit", "base", "validUntil"];
    for (const [title, answer] of answers) {
      const names = fieldNamesOf(answer);
      expect(
        seldomNeeded.filter((name) => names.has(name)),
        title,
      ).toEqual([]);
    }
  });

  it("says where the data is safe", () => {
    for (const title of ["a first save", "a load", "a resume", "a list of one", "a compression of a saved context", "a mark"]) {
      expect(answers.get(title), title).toMatchObject({ durability: "disk" });
    }
  });
});

describe("metadata of a load", () => {
  it.each(["details", "full"])("has what describes the checkpoint, and everything with %s", async (all) => {
    await using server = await ServerProcess.start();
    const { checkpointId, sessionId } = await server.ok(SAVE, {
      context: { a: 1 },
      metadata: { name: "n", tags: ["t"], own: 1 },
      phase: "p",
    });
    const brief = await server.ok(LOAD, { checkpointId });
    expect(brief["metadata"]).toEqual({ name: "n", tags: ["t"], own: 1, phase: "p" });
    const whole = await server.ok(LOAD, { checkpointId, [all]: true });
    expect(whole["metadata"]).toMatchObject({
      id: checkpointId,
      sessionId,
      contextHash: expect.any(String),
      blobPath: expect.any(String),
      sequence: 1,
      kind: "workflow",
    });
  });
});
