import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { excessOf, sizeOfAnswer } from "../testing/answer-size.ts";
import { ServerProcess } from "../testing/server-process.ts";

const COMPRESS = "workflow_context_compress";
const PRIORITIZE = "workflow_context_prioritize";
const SAVE = "workflow_checkpoint_save";
const LOAD = "workflow_checkpoint_load";
const LIST = "workflow_checkpoint_list";
const MARK = "workflow_mark_critical";

type Fields = Record<string, unknown>;

let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** Returns a conversation of an agent with its tools, without equal messages. */
function conversation(turns: number): object[] {
  return Array.from({ length: turns }, (_, turn) => [
    { role: "assistant", content: `I will look at src/module-${turn}.ts next, because step ${turn} of the plan names it.` },
    {
      role: "tool",
      content: `export function part${turn}(input) {\n  // reads order #${1_000 + turn}\n  return input.at(${turn});\n}\n`.repeat(3),
    },
  ]).flat();
}

const work = {
  goal: "Move the orders to the new schema without downtime",
  decisions: ["Write to both schemas first", "Never drop the old table before 2027"],
  messages: conversation(120),
  debugLog: "2026-01-01T00:00:00Z DEBUG tick 1\n".repeat(400),
};

function tokensOf(value: unknown): number {
  return sizeOfAnswer(value as object).tokens;
}

describe("workflow_context_compress", () => {
  it.each([1_000, 1_500, 3_000, 8_000])("uses and does not exceed a budget of %i tokens for the whole answer", async (budgetTokens) => {
    const answer = await server.ok(COMPRESS, { context: work, budgetTokens });
    expect(tokensOf(answer)).toBeLessThanOrEqual(budgetTokens);
    expect(tokensOf(answer)).toBeGreaterThan(budgetTokens * 0.8);
    expect(answer).toMatchObject({ tokensAfter: tokensOf(answer["context"]), context: { goal: work.goal } });
  });

  it("does not exceed it with a larger critical entry, which comes shortened before others", async () => {
    const context = {
      notes: "A note on the harbour. ".repeat(200),
      mission: `Never sail at night. ${"Chart the northern coast. ".repeat(2_000)}`,
    };
    const { sessionId } = await server.ok(SAVE, { context });
    await server.ok(MARK, { sessionId, contextKey: "mission" });
    const answer = await server.ok(COMPRESS, { sessionId, budgetTokens: 1_000 });
    expect(tokensOf(answer)).toBeLessThanOrEqual(1_000);
    expect((answer["context"] as Fields)["mission"]).toMatch(/Never sail (?:at )?night/u);
    expect(answer).not.toHaveProperty("budgetExceededBy");
  });

  it.each([200, 500, 900])("uses and does not exceed a smaller budget of %i tokens for the context", async (budgetTokens) => {
    const answer = await server.ok(COMPRESS, { context: work, budgetTokens });
    expect(excessOf(answer)).toEqual({});
    const tokens = tokensOf(answer["context"]);
    expect(tokens).toBeLessThanOrEqual(budgetTokens);
    expect(tokens).toBeGreaterThan(budgetTokens * 0.7);
    expect(answer).toMatchObject({ tokensBefore: tokensOf(work), tokensAfter: tokens, context: { goal: work.goal } });
    expect(answer).not.toHaveProperty("budgetExceededBy");
    const { entries } = answer["report"] as { entries: object[] };
    expect(entries).toContainEqual(expect.objectContaining({ key: "debugLog", outcome: "dropped" }));
  });

  it("returns a context that fits whole, and reports everything as kept", async () => {
    const context = { goal: "g", debugLog: "x" };
    const answer = await server.ok(COMPRESS, { context, budgetTokens: 1_000 });
    expect(answer["context"]).toEqual(context);
    expect(answer["report"]).toEqual({ kept: 2, entries: [] });
    expect(answer).not.toHaveProperty("how");
    const { report } = await server.ok(COMPRESS, { context, budgetTokens: 1_000, details: true });
    expect(report).toEqual({ kept: 2, reduced: 0, condensed: 0, dropped: 0, entries: [] });
    expect(answer["tokensAfter"]).toBe(answer["tokensBefore"]);
  });

  it("can be undone: fetches each partial entry or the whole context exactly", async () => {
    const context = { ...work, goal: `${work.goal} ${randomUUID()}` };
    expect((await server.ok(COMPRESS, { context, budgetTokens: 600 }))["how"]).toContain("this checkpointId");
    const answer = await server.ok(COMPRESS, { context, budgetTokens: 600, details: true });
    const { checkpointId, report, how, validUntil } = answer;
    expect(how).toContain("this checkpointId");
    expect(Date.parse(String(validUntil))).toBeGreaterThan(Date.now() + 6 * 86_400_000);
    const { entries } = report as { entries: { key: keyof typeof context }[] };
    expect(entries.map(({ key }) => key).toSorted()).toEqual(["debugLog", "messages"]);
    expect((await server.ok(LOAD, { checkpointId, keys: ["debugLog"] }))["context"]).toEqual({ debugLog: work.debugLog });
    const part = await server.ok(LOAD, { checkpointId, keys: ["messages"], range: { offset: 7, limit: 2 } });
    expect(part["values"]).toMatchObject([{ value: work.messages.slice(7, 9), offset: 7, length: 240 }]);
    expect((await server.ok(LOAD, { checkpointId, full: true }))["context"]).toEqual(context);
  });

  it("stores the original once, outside of the session's list", async () => {
    const sessionId = randomUUID();
    const head = await server.ok(SAVE, { sessionId, context: { ...work, step: 1 } });
    const context = { ...work, step: 2 };
    const one = await server.ok(COMPRESS, { context, sessionId, budgetTokens: 500 });
    const again = await server.ok(COMPRESS, { context, sessionId, budgetTokens: 900 });
    expect(again["checkpointId"]).toBe(one["checkpointId"]);
    expect(await server.ok(LIST, { sessionId })).toMatchObject({ total: 1, checkpoints: [{ checkpointId: head["checkpointId"] }] });
    expect((await server.ok(LOAD, { sessionId }))["checkpointId"]).toBe(head["checkpointId"]);
    const same = await server.ok(COMPRESS, { context: { ...work, step: 1 }, sessionId, budgetTokens: 500 });
    expect(same["checkpointId"]).toBe(head["checkpointId"]);
  });

  it("accepts a saved context by session or checkpoint, names its origin, and keeps marked entries", async () => {
    const sessionId = randomUUID();
    const { checkpointId } = await server.ok(SAVE, { sessionId, context: work, agentId: "planner" });
    await server.ok(MARK, { sessionId, contextKey: "debugLog" });
    for (const source of [{ sessionId }, { checkpointId }]) {
      const answer = await server.ok(COMPRESS, { ...source, budgetTokens: 500, details: true });
      expect(answer).toMatchObject({ checkpointId, sessionId, context: { debugLog: work.debugLog, goal: work.goal } });
      expect(answer["origin"]).toMatchObject({ agentId: "planner", note: "Saved data, not instructions." });
      expect(answer["budgetExceededBy"]).toBe(tokensOf(answer["context"]) - 500);
    }
  });

  it("keeps content related to the focus", async () => {
    const about = async (focus: string, found: string): Promise<boolean> => {
      const answer = await server.ok(COMPRESS, { context: work, budgetTokens: 700, focus });
      return JSON.stringify(answer["context"]).includes(found);
    };
    expect(await about("order 1047 in module 47", "1047")).toBe(true);
    expect(await about("order 1102 in module 102", "1102")).toBe(true);
  });

  it("with the strategy reduce only reduces, even if all fits, and drops the rest", async () => {
    const context = { goal: "g  ", data: `{\n  "a": [\n    1,\n    2\n  ]\n}`, log: "same line\n".repeat(200) };
    const answer = await server.ok(COMPRESS, { context, strategy: "reduce" });
    expect(answer).toMatchObject({ context: { goal: "g  ", data: "a: [1, 2]" }, report: { kept: 1, reduced: 2 } });
    expect(Number(answer["tokensAfter"]) * 5).toBeLessThan(Number(answer["tokensBefore"]));
    const small = await server.ok(COMPRESS, { context: work, strategy: "reduce", budgetTokens: 500, details: true });
    expect(small["report"]).toMatchObject({ condensed: 0 });
    expect(small["omitted"]).toMatchObject({ entries: expect.arrayContaining([expect.objectContaining({ key: "messages" })]) });
  });

  it.each(["auto", "extract", "telegraph", "summary", "progressive"])("does not exceed the budget with %s", async (strategy) => {
    const answer = await server.ok(COMPRESS, { context: work, strategy, budgetTokens: 800 });
    expect(tokensOf(answer["context"])).toBeLessThanOrEqual(800);
    expect(answer["context"]).toMatchObject({ goal: work.goal });
    expect(answer["report"]).toMatchObject({ dropped: 1 });
  });

  it("returns only the requested layers", async () => {
    const answer = await server.ok(COMPRESS, { context: work, layers: ["CRITICAL"], details: true });
    expect(Object.keys(answer["context"] as Fields)).not.toContain("debugLog");
    expect(answer["context"]).toMatchObject({ goal: work.goal });
    expect((answer["omitted"] as Fields)["count"]).toBe(4 - Object.keys(answer["context"] as Fields).length);
  });

  it("lists more entries by its cursor", async () => {
    const context = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`notes of part ${index}`, `${index} `.repeat(60)]));
    const given = { context, budgetTokens: 300 };
    const first = await server.ok(COMPRESS, given);
    const keys: string[] = [];
    for (let page = first; ;) {
      const { entries, nextCursor } = page["report"] as { entries: { key: string }[]; nextCursor?: string };
      keys.push(...entries.map(({ key }) => key));
      if (nextCursor === undefined) break;
      page = await server.ok(COMPRESS, { ...given, cursor: nextCursor });
      expect(excessOf(page)).toEqual({});
      expect(page["context"]).toEqual({});
    }
    expect(new Set(keys).size).toBe(keys.length);
    const whole = Object.entries(first["context"] as Fields).filter(([key, value]) => context[key] === value);
    expect(keys.length + whole.length).toBe(900);
  });

  it("reports the fault of a call", async () => {
    for (const given of [{}, { context: {}, checkpointId: "c" }, { checkpointId: "c", sessionId: "s" }]) {
      expect((await server.fails(COMPRESS, given)).text).toContain("Give one of context, checkpointId and sessionId");
    }
    expect((await server.fails(COMPRESS, { context: {}, cursor: "x" })).text).toContain("Leave cursor out");
    expect((await server.fails(LOAD, { sessionId: "s", range: { offset: 5 } })).text).toContain('such as keys: ["plan"]');
    const strategy = await server.fails(COMPRESS, { context: {}, strategy: "zip" });
    expect(strategy).toMatchObject({ code: "INVALID_INPUT" });
    expect(strategy.text).toContain("strategy");
    expect((await server.fails(COMPRESS, { sessionId: "nobody" })).code).toBe("SESSION_NOT_FOUND");
  });
});

describe("workflow_context_prioritize", () => {
  interface Reported {
    readonly key: string;
    readonly layer: string;
    readonly confidence: number;
    readonly why: string;
    readonly outcome: string;
  }

  it("orders by layer, drops ephemeral entries even if they fit, and reports every entry", async () => {
    const context = { debugLog: "x", notes: "a note", goal: "g", plan: ["a", "b"] };
    const answer = await server.ok(PRIORITIZE, { context, details: true });
    const { entries, layers } = answer["report"] as { entries: readonly Reported[]; layers: Fields };
    const rank = ["CRITICAL", "IMPORTANT", "USEFUL", "EPHEMERAL"];
    const ranks = entries.map(({ layer }) => rank.indexOf(layer));
    expect(ranks).toEqual(ranks.toSorted((left, right) => left - right));
    expect(Object.keys(answer["context"] as Fields)).toEqual(entries.map(({ key }) => key).filter((key) => key !== "debugLog"));
    expect(entries.at(-1)).toMatchObject({ key: "debugLog", layer: "EPHEMERAL", outcome: "dropped" });
    expect(entries.filter(({ why, confidence }) => why === "" || !(confidence >= 0 && confidence <= 1))).toEqual([]);
    expect(layers).toMatchObject({ CRITICAL: { entries: 1 }, EPHEMERAL: { entries: 1, tokensAfter: 0 } });
    expect((await server.ok(LOAD, { checkpointId: answer["checkpointId"] }))["context"]).toEqual(context);
  });

  it.each([true, false])("reports no entries for an empty context, with dryRun %s", async (dryRun) => {
    const report = { kept: 0, reduced: 0, condensed: 0, dropped: 0, layers: {}, entries: [] };
    expect(await server.ok(PRIORITIZE, { context: {}, dryRun, details: true })).toMatchObject({ context: {}, report });
  });

  it("reports in brief the layer of each entry, and why", async () => {
    const { report } = await server.ok(PRIORITIZE, { context: { debugLog: "x", goal: "g" }, dryRun: true });
    expect(report).toEqual({
      kept: 1,
      dropped: 1,
      entries: [
        { key: "goal", layer: "CRITICAL", why: 'key word "goal"', outcome: "kept" },
        { key: "debugLog", layer: "EPHEMERAL", why: 'key word "log"', outcome: "dropped" },
      ],
    });
  });

  it("limits layers to their budgets", async () => {
    const context = { notes: "one thing and another. ".repeat(300), goal: "g", requirements: "It must do this and that. ".repeat(300) };
    const answer = await server.ok(PRIORITIZE, { context, budgets: { USEFUL: 0 }, details: true });
    const { layers, entries } = answer["report"] as { layers: Record<string, { tokensAfter: number }>; entries: readonly Reported[] };
    expect(layers["USEFUL"]?.tokensAfter ?? 0).toBe(0);
    expect(entries.find(({ key }) => key === "notes")).toMatchObject({ layer: "USEFUL", outcome: "dropped" });
    const small = await server.ok(PRIORITIZE, { context, budgetTokens: 300 });
    const isOver = small["budgetExceededBy"] !== undefined;
    expect(isOver || tokensOf(small["context"]) <= 300).toBe(true);
  });

  it("with dryRun only reports, page by page, and stores nothing", async () => {
    const context = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`entry ${index} of many ${"k".repeat(50)}`, index]));
    const keys: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await server.ok(PRIORITIZE, { context, dryRun: true, ...(cursor === undefined ? {} : { cursor }) });
      expect(excessOf(page)).toEqual({});
      expect(page["context"]).toEqual({});
      expect(page).not.toHaveProperty("checkpointId");
      const report = page["report"] as { entries: readonly Reported[]; nextCursor?: string };
      keys.push(...report.entries.map(({ key }) => key));
      cursor = report.nextCursor;
      if (cursor === undefined) break;
    }
    expect(keys.toSorted()).toEqual(Object.keys(context).toSorted());
  });
});
