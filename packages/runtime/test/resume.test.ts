import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openMemoryStorage } from "@workrail/memory";
import { openWorkrail, type ResumedWork, type ResumeParams, type Workrail } from "../src/index.ts";

const GOAL = "Make the login redirect to where the user came from";
const CONTEXT = {
  goal: GOAL,
  decisions: ["Keep the target in the session"],
  nextSteps: ["Fix logout"],
  notes: Array.from(
    { length: 200 },
    (_, at) => `On ${at === 77 ? "zebras" : "cookies"} ${at}: ${"some words about sessions. ".repeat(10)}`,
  ).join("\n\n"),
};

let store: Workrail;

beforeEach(async () => {
  store = await openWorkrail({ adapters: { storage: () => openMemoryStorage() }, project: "/app" });
});

afterEach(() => store.close());

async function load(params: ResumeParams): Promise<ResumedWork> {
  const result = await store.resumeWork(params);
  if (result.status !== "LOADED") throw new Error("nothing was loaded");
  return result;
}

function tokensIn(answer: object): number {
  // Estimates a token as at least four characters of English and JSON; the assertions below have room for the difference.
  return JSON.stringify(answer).length / 4;
}

describe("changes since a known checkpoint", () => {
  it("are returned by key, with only those entries, for the latest of its session or a named one", async () => {
    const known = await store.saveCheckpoint({ sessionId: "s", context: CONTEXT });
    const next = await store.saveCheckpoint({
      sessionId: "s",
      patch: { set: { step: 4 }, append: { nextSteps: ["Fix the cookie"] }, remove: ["decisions"] },
    });
    await store.saveCheckpoint({ sessionId: "s", patch: { set: { step: 5 } } });
    const latest = await load({ since: known.checkpointId });
    expect(latest.context).toEqual({ nextSteps: ["Fix logout", "Fix the cookie"], step: 5 });
    expect(latest.changes).toEqual({
      since: known.checkpointId,
      added: ["step"],
      changed: { nextSteps: "1 item -> 2" },
      removed: ["decisions"],
      unchanged: 2,
    });
    expect((await load({ since: known.checkpointId, checkpointId: next.checkpointId })).context).toMatchObject({ step: 4 });
    const same = await load({ since: next.checkpointId, checkpointId: next.checkpointId });
    expect(same).toMatchObject({ context: {}, changes: { since: next.checkpointId, unchanged: 4 } });
  });

  it("stay within the budget, and entries that are not whole are named", async () => {
    const known = await store.saveCheckpoint({ sessionId: "s", context: { goal: GOAL } });
    await store.saveCheckpoint({ sessionId: "s", context: CONTEXT });
    const found = await load({ since: known.checkpointId, budgetTokens: 1_000 });
    expect(tokensIn(found)).toBeLessThan(1_100);
    expect(found.context).not.toHaveProperty("goal");
    expect(found.shortened?.entries).toMatchObject([{ key: "notes" }]);
  });

  it("take at most a share of the budget, and their total is returned", async () => {
    const entries = (name: string, value: string): Record<string, string> =>
      Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`${"long".repeat(24)} ${name} ${at}`, value]));
    const known = await store.saveCheckpoint({ sessionId: "s", context: { ...entries("old", "1"), ...entries("kept", "1") } });
    await store.saveCheckpoint({ sessionId: "s", context: { ...entries("new", "2"), ...entries("kept", "3") } });
    const found = await load({ since: known.checkpointId, budgetTokens: 1_000 });
    expect(tokensIn(found)).toBeLessThan(1_200);
    expect(found.changes).toMatchObject({ addedCount: 120, changedCount: 120, removedCount: 120, unchanged: 0 });
    expect(found).not.toHaveProperty("droppedKeys");
    expect(found.omitted?.nextCursor).toBeUndefined();
  });

  it("are not part of a summary, nor reported for a missing checkpoint", async () => {
    const { checkpointId } = await store.saveCheckpoint({ sessionId: "s", context: CONTEXT });
    await expect(store.resumeWork({ since: checkpointId, depth: "summary" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(store.resumeWork({ since: " " })).rejects.toMatchObject({ code: "INVALID_INPUT", details: { field: "since" } });
    await expect(store.resumeWork({ checkpointId, since: "nowhere-at-all" })).rejects.toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
    expect(await store.resumeWork({ since: "nowhere-at-all" })).toMatchObject({
      status: "CANDIDATES",
      note: expect.stringContaining("nowhere-at-all"),
    });
  });
});

describe("the size of the result", () => {
  beforeEach(async () => {
    await store.saveCheckpoint({ sessionId: "s", context: CONTEXT, agentId: "coder", metadata: { name: "half way" } });
  });

  it("is a view of some thousand tokens by default", async () => {
    const answer = await load({ sessionId: "s" });
    expect(answer).toMatchObject({ depth: "view", context: { goal: GOAL }, origin: { agentId: "coder" }, metadata: { name: "half way" } });
    expect(tokensIn(answer)).toBeLessThan(6_000);
    expect(answer.shortened ?? answer.omitted).toBeDefined();
    expect(answer.how).toContain("this checkpointId");
  });

  it("is a document with depth summary, and no context", async () => {
    const answer = await load({ sessionId: "s", depth: "summary" });
    expect(answer).toMatchObject({ depth: "summary", origin: { savedAt: expect.any(String), agentId: "coder" } });
    expect(answer).not.toHaveProperty("context");
    expect(answer.summary).toContain(`goal: ${GOAL}`);
    expect(answer.validUntil).toBeDefined();
    expect(tokensIn(answer)).toBeLessThan(1_500);
  });

  it("fills an answer with depth full, and never exceeds it", async () => {
    const answer = await load({ sessionId: "s", depth: "full" });
    expect(tokensIn(answer)).toBeGreaterThan(6_000);
    expect(JSON.stringify(answer).length).toBeLessThan(45_000);
    await store.saveCheckpoint({ sessionId: "small", context: { goal: GOAL } });
    expect((await load({ sessionId: "small", depth: "full" })).context).toEqual({ goal: GOAL });
  });

  it("follows a budget and a focus", async () => {
    const answer = await load({ sessionId: "s", budgetTokens: 900, focus: "zebras" });
    expect(tokensIn(answer)).toBeLessThan(1_400);
    expect(JSON.stringify(answer.context)).toContain("zebras 77");
  });

  it("never exceeds the ceiling in a summary, however long its text is as JSON", async () => {
    await store.saveCheckpoint({ sessionId: "wide", context: { goal: '"\\\n\t'.repeat(20_000), log: " \n".repeat(100_000) } });
    const answer = await load({ sessionId: "wide", depth: "summary", budgetTokens: 9_000 });
    expect(JSON.stringify(answer).length).toBeLessThanOrEqual(45_000);
  });
});

describe("an agent that resumes", () => {
  it("continues in that session", async () => {
    await store.saveCheckpoint({ sessionId: "old", context: { a: 1 } });
    await store.saveCheckpoint({ sessionId: "other", context: { a: 1 } });
    await load({ sessionId: "old" });
    expect(await store.saveCheckpoint({ context: { a: 2 } })).toMatchObject({ sessionId: "old", sessionReason: "process" });
  });

  it.each<[ResumeParams, string]>([
    [{ checkpointId: "00000000-0000-4000-8000-000000000000", sessionId: "s" }, "checkpointId"],
    [{ checkpointId: 7 as never }, "checkpointId"],
    [{ sessionId: "" }, "sessionId"],
    [{ hint: " " }, "hint"],
    [{ hint: "x".repeat(1_001) }, "hint"],
    [{ depth: "deep" as never }, "depth"],
    [{ budgetTokens: 0 }, "budgetTokens"],
    [{ focus: "x".repeat(2_001) }, "focus"],
    [{ limit: 21 }, "limit"],
  ])("cannot ask with %j", async (params, field) => {
    await expect(store.resumeWork(params)).rejects.toMatchObject({ code: "INVALID_INPUT", details: { field } });
  });

  it("gets short names, goals and reasons, whatever was saved", async () => {
    const metadata = { name: "n".repeat(500), tags: ["t".repeat(200)] };
    for (let at = 0; at < 25; at++) {
      await store.saveCheckpoint({ sessionId: `s${at}`, agentId: "a".repeat(500), metadata, context: { goal: "g ".repeat(5_000), at } });
    }
    const result = await store.resumeWork({ limit: 20 });
    expect(result).toMatchObject({ total: 25 });
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
  });
});

describe("a handoff", () => {
  it("is a document about a checkpoint, with its handle", async () => {
    const { checkpointId } = await store.saveCheckpoint({ sessionId: "s", context: CONTEXT });
    const handoff = await store.handoff({ sessionId: "s" });
    expect(handoff).toMatchObject({ checkpointId, sessionId: "s", durability: "memory" });
    expect(handoff.tokens).toBeLessThanOrEqual(2_000);
    expect(handoff.shortened + handoff.leftOut).toBeGreaterThan(0);
    expect(handoff.markdown).toContain(`\`workrail show ${checkpointId}\``);
    const again = await store.handoff({ checkpointId });
    expect(again.markdown).toBe(handoff.markdown);
  });

  it("needs one id, and a sufficient budget", async () => {
    await store.saveCheckpoint({ sessionId: "s", context: CONTEXT });
    await expect(store.handoff({})).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(store.handoff({ sessionId: "s", budgetTokens: 100 })).rejects.toMatchObject({ details: { field: "budgetTokens" } });
    await expect(store.handoff({ sessionId: "nobody" })).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  });
});
