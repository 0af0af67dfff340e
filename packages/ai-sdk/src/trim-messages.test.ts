import type { ModelMessage, ToolResultPart } from "ai";
import { generateText, isStepCount, tool } from "ai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshFolder, freshStore } from "../test/fresh-store.ts";
import { scriptedModel, user } from "../test/scripted-model.ts";
import { loadMessages } from "./load-messages.ts";
import { unitsOf } from "./message-units.ts";
import { trimMessages } from "./trim-messages.ts";
import { workrailSteps } from "./workrail-steps.ts";

const sessionId = "invoices";
const RULE = "Never delete a file, and reply in German.";

/** A call of a tool with its result, of about the given number of words. */
function read(at: number, words: number): readonly ModelMessage[] {
  const toolCallId = `call-${at}`;
  const toolName = at % 3 === 0 ? "search" : "readFile";
  return [
    {
      role: "assistant",
      content: [
        { type: "text", text: `I read invoices/${at}.pdf next.` },
        { type: "tool-call", toolCallId, toolName, input: { path: `invoices/${at}.pdf` } },
      ],
    },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: `Invoice ${at}: ${"lorem ".repeat(words)}` } }],
    },
  ];
}

function conversation(steps: number, words: number): readonly ModelMessage[] {
  const work = Array.from({ length: steps }, (_, at) => read(at, words));
  return [user(`Sort the invoices. ${RULE}`), ...work.slice(0, 3).flat(), user("Skip april.md."), ...work.slice(3).flat()];
}

describe("trimMessages", () => {
  it("returns a conversation that fits unchanged", async () => {
    const messages = conversation(4, 10);
    const { tokens, ...trimmed } = await trimMessages(await freshStore(), { messages, budgetTokens: 5_000, sessionId });
    expect(trimmed).toEqual({ messages });
    expect(tokens).toBeGreaterThan(100);
  });

  it("keeps the user's messages and the newest steps, and stores and names the steps that it leaves out", async () => {
    const store = await freshStore();
    const messages = conversation(60, 100);
    const { messages: trimmed, tokens, leftOut } = await trimMessages(store, { messages, budgetTokens: 4_000, sessionId });
    expect(tokens).toBeLessThanOrEqual(4_000);
    expect(tokens).toBeGreaterThan(3_000);
    expect(trimmed[0]).toBe(messages[0]);
    expect(trimmed).toContain(messages[7]);
    expect(trimmed.slice(-8)).toEqual(messages.slice(-8));
    const gone = messages.filter((message) => !trimmed.includes(message));
    const half = gone.length / 2;
    expect(leftOut).toMatchObject({ count: gone.length, byRole: { assistant: half, tool: half } });
    expect(Object.values(leftOut?.results ?? {}).reduce((sum, each) => sum + each, 0)).toBe(half);
    const text = trimmed.map(({ content }) => content).find((content) => typeof content === "string" && content.includes("left out"));
    expect(text).toContain(`[${gone.length} of the 122 messages`);
    expect(text).toContain(`checkpoint ${leftOut?.checkpointId ?? "?"}`);
    expect(text).toMatch(/readFile invoices\/\d+\.pdf/u);
    expect(Date.parse(leftOut?.validUntil ?? "")).toBeGreaterThan(Date.now());
    expect(await loadMessages(store, { checkpointId: String(leftOut?.checkpointId) })).toEqual(gone);
    expect(await loadMessages(store, { sessionId })).toEqual([]);
  });

  it("returns the same result for the same messages and budget", async () => {
    const store = await freshStore();
    const options = { messages: conversation(60, 100), budgetTokens: 4_000, sessionId };
    const withoutTime = async (): Promise<readonly ModelMessage[]> => (await trimMessages(store, structuredClone(options))).messages;
    expect(await withoutTime()).toEqual(await withoutTime());
    const other = await trimMessages(await freshStore(), options);
    expect(other.messages).toEqual(await withoutTime());
  });

  it("keeps a rule that the user gave in a message too long to stay", async () => {
    const store = await freshStore();
    const long = user(`Use these notes.\n${"The shelf holds many old papers of the year. ".repeat(800)}\n${RULE}`);
    const [goal, other] = [user("Sort the invoices."), user("Use the folder out.")];
    const messages = [goal, other, long, ...conversation(40, 60).slice(1)];
    const { messages: trimmed, tokens, leftOut } = await trimMessages(store, { messages, budgetTokens: 4_000, sessionId });
    expect(trimmed).not.toContain(long);
    expect(trimmed.slice(0, 2)).toEqual([goal, other]);
    expect(leftOut?.byRole["user"]).toBe(1);
    expect(JSON.stringify(trimmed)).toContain("Never delete a file");
    expect(tokens).toBeLessThanOrEqual(4_000);
  });

  it("counts a file as a file, and not by its characters", async () => {
    const data = new Uint8Array(300_000).map((_, at) => at % 251);
    const messages: ModelMessage[] = [{ role: "user", content: [{ type: "file", mediaType: "image/png", data }] }];
    const { tokens, leftOut } = await trimMessages(await freshStore(), { messages, budgetTokens: 2_000, sessionId });
    expect(leftOut).toBeUndefined();
    expect(tokens).toBeGreaterThan(1_500);
  });

  it("counts a result in base64 by its characters, because the model gets it as text", async () => {
    const store = await freshStore();
    const value = Buffer.from(Uint8Array.from({ length: 30_000 }, (_, at) => (at * 7) % 251)).toString("base64");
    const outputs: ToolResultPart["output"][] = [
      { type: "text", value },
      { type: "json", value: { body: value } },
      { type: "content", value: [{ type: "file-data", mediaType: "image/png", data: value }] },
    ];
    const sizes: number[] = [];
    for (const output of outputs) {
      const messages: ModelMessage[] = [
        { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "readFile", output }] },
      ];
      sizes.push((await trimMessages(store, { messages, budgetTokens: 1_000_000, sessionId })).tokens);
    }
    const [text = 0, json = 0, file = 0] = sizes;
    expect(text).toBeGreaterThan(10_000);
    expect(json).toBeGreaterThan(10_000);
    expect(file).toBeLessThan(1_700);
  });

  it("fits into the budget when results of very many tools are left out, and names the most used ones", async () => {
    const work = Array.from({ length: 150 }, (_, at) => {
      const toolName = at < 5 ? "search" : `mcp__server_${at}__create_issue_${at}`;
      return read(at, 30).map((message) => JSON.parse(JSON.stringify(message).replaceAll(/"(?:search|readFile)"/gu, `"${toolName}"`)));
    });
    const messages: ModelMessage[] = [user("Sort them."), ...work.flat()];
    const { tokens, leftOut, messages: trimmed } = await trimMessages(await freshStore(), { messages, budgetTokens: 1_000, sessionId });
    expect(tokens).toBeLessThanOrEqual(1_000);
    expect(Object.keys(leftOut?.results ?? {}).length).toBeGreaterThan(100);
    expect(JSON.stringify(trimmed[1])).toMatch(/Results of tools among them: search 5, mcp__server_5.*, other tools \d+\./u);
  });

  it.each([4_000, 40_000])("fits into a budget of %s as another counter measures it", async (budgetTokens) => {
    const messages = conversation(100, 100);
    const tokensOf = (message: ModelMessage): number => JSON.stringify(message).length;
    const { tokens, messages: trimmed } = await trimMessages(await freshStore(), { messages, budgetTokens, sessionId, tokensOf });
    expect(tokens).toBeLessThanOrEqual(budgetTokens);
    expect(trimmed.length).toBeGreaterThan(2);
  });

  it("keeps the last step even when it alone exceeds the budget", async () => {
    const messages = [...conversation(10, 50), ...read(10, 3_000)];
    const { messages: trimmed, tokens } = await trimMessages(await freshStore(), { messages, budgetTokens: 1_000, sessionId });
    expect(trimmed.slice(-2)).toEqual(messages.slice(-2));
    expect(tokens).toBeGreaterThan(1_000);
  });

  it.each([0, 999, 1_000.5, Number.NaN])("refuses a budget of %s tokens", async (budgetTokens) => {
    const trimming = trimMessages(await freshStore(), { messages: [], budgetTokens, sessionId });
    await expect(trimming).rejects.toMatchObject({ code: "INVALID_INPUT", details: { field: "budgetTokens" } });
  });

  it("never separates calls, approvals and results", async () => {
    const store = await freshStore();
    const step = fc.record({
      calls: fc.integer({ min: 0, max: 3 }),
      isApproved: fc.boolean(),
      isLate: fc.boolean(),
      words: fc.integer({ min: 1, max: 400 }),
      isUser: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 20 }),
        fc.integer({ min: 1_000, max: 4_000 }),
        async (steps, budgetTokens) => {
          const messages = steps.flatMap((each, at) => messagesOf(each, at));
          const { messages: trimmed } = await trimMessages(store, { messages, budgetTokens, sessionId });
          const pairs = (list: readonly ModelMessage[]): readonly string[] => idsOf(list).toSorted();
          const kept = new Set(pairs(trimmed));
          expect(pairs(trimmed)).toEqual(pairs(messages).filter((id) => kept.has(id)));
          expect(trimmed.filter((message) => messages.includes(message))).toEqual(messages.filter((message) => trimmed.includes(message)));
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe("a run with a budget", () => {
  it("never exceeds the model's budget, trims seldom, and saves everything", async () => {
    const store = await freshStore();
    const steps = await workrailSteps(store, { sessionId, budgetTokens: 3_000 });
    const readFile = tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => `${path}: ${"lorem ipsum ".repeat(60)}` });
    const turns = [...Array.from({ length: 40 }, (_, at) => ({ readFile: { path: `invoices/${at}.pdf` } })), "Sorted."];
    const model = scriptedModel(turns);
    await generateText({
      model,
      tools: { readFile },
      stopWhen: isStepCount(50),
      messages: [user(`Sort the invoices. ${RULE}`)],
      prepareStep: steps.prepareStep,
      onStepEnd: steps.onStepEnd,
    });
    await steps.saved();
    const prompts = model.doGenerateCalls.map(({ prompt }) => JSON.stringify(prompt));
    expect(Math.max(...prompts.map((prompt) => prompt.length))).toBeLessThan(3_000 * 6);
    expect(prompts.every((prompt) => prompt.includes(RULE))).toBe(true);
    const views = new Set(prompts.flatMap((prompt) => /\[\d+ of the \d+ messages/u.exec(prompt) ?? []));
    expect(views.size).toBeGreaterThan(1);
    expect(views.size).toBeLessThan(12);
    expect(await loadMessages(store, { sessionId })).toHaveLength(82);
  });
});

describe("a long run with a budget", () => {
  it("trims more often than the session holds asides, and keeps the newest one", async () => {
    const store = await freshStore(freshFolder(), { maxAsides: 3 });
    const steps = await workrailSteps(store, { sessionId, budgetTokens: 1_000 });
    const readFile = tool({ inputSchema: z.object({ at: z.number() }), execute: ({ at }) => `${at}: ${"lorem ipsum ".repeat(300)}` });
    const model = scriptedModel([...Array.from({ length: 8 }, (_, at) => ({ readFile: { at } })), "Sorted."]);
    const { text } = await generateText({
      model,
      tools: { readFile },
      stopWhen: isStepCount(20),
      messages: [user("Sort the invoices.")],
      prepareStep: steps.prepareStep,
      onStepEnd: steps.onStepEnd,
    });
    expect(text).toBe("Sorted.");
    const [, checkpointId = ""] = /saved as checkpoint ([\da-f-]+)/u.exec(JSON.stringify(model.doGenerateCalls.at(-1)?.prompt)) ?? [];
    expect(await loadMessages(store, { checkpointId })).toHaveLength(14);
  });
});

describe("unitsOf", () => {
  it("puts a result into the unit of its call, wherever the result is", () => {
    const [call, result] = [read(1, 1), read(2, 1)];
    const messages = [user("a"), ...call, user("b"), ...result.slice(0, 1), user("c"), ...result.slice(1), user("d")];
    expect(unitsOf(messages)).toEqual([
      [0, 1],
      [1, 3],
      [3, 4],
      [4, 7],
      [7, 8],
    ]);
  });

  it("separates calls that have the same id, as some providers number the calls of each step from 0", () => {
    const calls = [read(1, 1), read(1, 1), read(1, 1)].flat();
    expect(unitsOf([user("a"), ...calls])).toEqual([
      [0, 1],
      [1, 3],
      [3, 5],
      [5, 7],
    ]);
  });
});

interface Step {
  readonly calls: number;
  readonly isApproved: boolean;
  readonly isLate: boolean;
  readonly words: number;
  readonly isUser: boolean;
}

function messagesOf({ calls, isApproved, isLate, words, isUser }: Step, at: number): readonly ModelMessage[] {
  if (isUser) return [user(`Note ${at}: ${"ipsum ".repeat(words)}`)];
  const ids = Array.from({ length: calls }, (_, call) => `${at}-${call}`);
  const called = ids.flatMap((id) => [
    { type: "tool-call" as const, toolCallId: id, toolName: "read", input: {} },
    ...(isApproved ? [{ type: "tool-approval-request" as const, approvalId: `ask ${id}`, toolCallId: id }] : []),
  ]);
  const answered = isApproved
    ? ids.map((id) => ({ type: "tool-approval-response" as const, approvalId: `ask ${id}`, approved: true }))
    : [];
  const results = ids.map((id) => ({
    type: "tool-result" as const,
    toolCallId: id,
    toolName: "read",
    output: { type: "text" as const, value: "lorem ".repeat(words) },
  }));
  const messages: ModelMessage[] = [{ role: "assistant", content: [{ type: "text", text: `Step ${at}.` }, ...called] }];
  if (calls === 0) return messages;
  if (answered.length > 0) messages.push({ role: "tool", content: answered });
  if (isLate) messages.push(user(`Wait ${at}.`));
  return [...messages, { role: "tool", content: results }];
}

function idsOf(messages: readonly ModelMessage[]): readonly string[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((part) => {
          if (part.type === "tool-call" || part.type === "tool-result") return [part.toolCallId];
          return part.type === "tool-approval-request" || part.type === "tool-approval-response" ? [part.approvalId] : [];
        }),
  );
}
