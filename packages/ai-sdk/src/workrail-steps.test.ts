import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { SaveCheckpointParams, Workrail } from "@workrail/runtime";
import { experimental_createSteering, generateText, isStepCount, jsonSchema, type ModelMessage, streamText, tool, ToolLoopAgent } from "ai";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { freshFolder, freshStore } from "../test/fresh-store.ts";
import { scriptedModel, type Turn, user } from "../test/scripted-model.ts";
import { loadMessages } from "./load-messages.ts";
import { partsOf } from "./message-parts.ts";
import { workrailSteps } from "./workrail-steps.ts";

const sessionId = "invoices";
const tools = {
  count: tool({ inputSchema: z.object({ of: z.string() }), execute: ({ of }) => ({ of, number: of.length }) }),
  fail: tool({
    inputSchema: z.object({}),
    execute: (): string => {
      throw new Error("The folder is gone.");
    },
  }),
};
const TURNS: readonly Turn[] = [{ count: { of: "march" } }, { count: { of: "april" }, fail: {} }, "Both are counted."];
const stopWhen = isStepCount(10);

describe("workrailSteps", () => {
  it.each(["generateText", "streamText", "ToolLoopAgent"] as const)(
    "has each step durable before the next one begins, with %s",
    async (how) => {
      const store = await freshStore();
      const steps = await workrailSteps(store, { sessionId });
      const durable: number[] = [];
      const model = scriptedModel(TURNS, async () => durable.push((await loadMessages(store, { sessionId })).length));
      const options = { model, tools, stopWhen, prepareStep: steps.prepareStep, onStepEnd: steps.onStepEnd };
      const messages = [...steps.messages, user("Count them.")];
      if (how === "generateText") await generateText({ ...options, messages });
      else if (how === "streamText") await streamText({ ...options, messages }).consumeStream();
      else await new ToolLoopAgent(options).generate({ messages });
      expect(durable).toEqual([1, 3, 5]);
      await steps.saved();
      const saved = await loadMessages(store, { sessionId });
      expect(saved.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "tool", "assistant"]);
      expect(steps.messages).toEqual(saved);
      expect(steps.isUnfinished).toBe(false);
    },
  );

  it("resumes calls, results, failures, reasoning with its signature, and files exactly", async () => {
    const dataDir = freshFolder();
    const store = await freshStore(dataDir);
    const steps = await workrailSteps(store, { sessionId });
    const image = new Uint8Array([0, 1, 254, 255]);
    const asked: ModelMessage = {
      role: "user",
      content: [
        { type: "text", text: "Count them.", providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } },
        { type: "file", mediaType: "image/png", filename: "march.png", data: { type: "data", data: image } },
        { type: "file", mediaType: "application/pdf", data: new URL("https://example.com/a%20b.pdf?x=1") },
      ],
    };
    const turns: readonly Turn[] = [
      [
        { type: "reasoning", text: "March first.", providerMetadata: { anthropic: { signature: "c2ln" } } },
        { type: "text", text: "I count." },
        {
          type: "tool-call",
          toolCallId: "a",
          toolName: "count",
          input: '{"of":"march"}',
          providerMetadata: { google: { thoughtSignature: "x" } },
        },
        { type: "tool-call", toolCallId: "b", toolName: "fail", input: "{}" },
      ],
      [{ type: "file", mediaType: "image/png", data: { type: "data", data: image } }],
    ];
    const { steps: done } = await generateText({
      model: scriptedModel(turns),
      tools,
      stopWhen,
      messages: [asked],
      experimental_download: (files) => Promise.resolve(files.map(() => null)),
      ...callbacks(steps),
    });
    await steps.saved();
    await store.close();
    const reopened = await workrailSteps(await freshStore(dataDir), { sessionId });
    const expected = [asked, ...done.flatMap(({ response }) => response.messages)];
    expect(reopened.messages).toEqual(expected);
    expect(JSON.stringify(reopened.messages)).toContain('"signature":"c2ln"');
    expect(expected).toHaveLength(4);
  });

  it("continues where a run stopped", async () => {
    const store = await freshStore();
    const first = await workrailSteps(store, { sessionId });
    await generateText({
      model: scriptedModel(TURNS),
      tools,
      stopWhen: isStepCount(2),
      messages: [user("Count them.")],
      ...callbacks(first),
    });
    const second = await workrailSteps(store, { sessionId });
    expect(second.isUnfinished).toBe(true);
    const model = scriptedModel(TURNS.slice(2));
    const { text } = await generateText({ model, tools, stopWhen, messages: second.messages, ...callbacks(second) });
    expect(text).toBe("Both are counted.");
    expect(second.isUnfinished).toBe(false);
    expect(await loadMessages(store, { sessionId })).toHaveLength(6);
  });

  it.each(["a text", "a call"] as const)("repeats a step that the provider ended with an error after %s", async (what) => {
    const store = await freshStore();
    const first = await workrailSteps(store, { sessionId });
    const failed: Turn = [
      what === "a text"
        ? { type: "text", text: "Both are" }
        : { type: "tool-call", toolCallId: "b", toolName: "count", input: '{"of":"april"}' },
      { type: "error", error: new Error("The provider is overloaded.") },
    ];
    await streamText({
      model: scriptedModel([{ count: { of: "march" } }, failed]),
      tools,
      stopWhen,
      messages: [user("Count them.")],
      ...callbacks(first),
      onError: () => undefined,
    }).consumeStream();
    await first.saved();
    const second = await workrailSteps(store, { sessionId });
    expect(second.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(second.isUnfinished).toBe(true);
    await generateText({ model: scriptedModel(["Both are counted."]), tools, stopWhen, messages: second.messages, ...callbacks(second) });
    expect(second.messages).toHaveLength(4);
  });

  it("keeps messages that the user sends while the agent works", async () => {
    const store = await freshStore();
    const steps = await workrailSteps(store, { sessionId });
    const steering = experimental_createSteering();
    const model = scriptedModel(TURNS, (step) => (step === 0 ? void steering.steer("Only march.") : undefined));
    await generateText({ model, tools, stopWhen, messages: [user("Count them.")], experimental_steering: steering, ...callbacks(steps) });
    const saved = await loadMessages(store, { sessionId });
    expect(saved.slice(2, 4)).toMatchObject([{ role: "tool" }, { role: "user", content: "Only march." }]);
    expect(saved).toHaveLength(7);
  });

  it("keeps the result of a call that was approved between two runs", async () => {
    const store = await freshStore();
    const guarded = { count: { ...tools.count, needsApproval: true } };
    const first = await workrailSteps(store, { sessionId });
    await generateText({ model: scriptedModel(TURNS), tools: guarded, stopWhen, messages: [user("Count them.")], ...callbacks(first) });
    const [, asked] = first.messages;
    const request = typeof asked?.content === "string" ? undefined : asked?.content.find(({ type }) => type === "tool-approval-request");
    if (request?.type !== "tool-approval-request") throw new Error("No approval was asked for.");
    expect(first.isUnfinished).toBe(false);
    const second = await workrailSteps(store, { sessionId });
    const response: ModelMessage = {
      role: "tool",
      content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved: true }],
    };
    const messages = [...second.messages, response];
    await generateText({ model: scriptedModel(["Done."]), tools: guarded, stopWhen, messages, ...callbacks(second) });
    await second.saved();
    const saved = await loadMessages(store, { sessionId });
    expect(saved.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
    expect(saved[3]?.content).toMatchObject([{ type: "tool-result", toolCallId: "call-1-0" }]);
  });

  it.each(["approval", "result"] as const)("waits for the %s of one call when another call of the step has its result", async (kind) => {
    const store = await freshStore();
    const { execute, ...outside } = tools.fail;
    const both = { count: tools.count, other: kind === "approval" ? { ...outside, execute, needsApproval: true } : outside };
    const steps = await workrailSteps(store, { sessionId });
    const model = scriptedModel([{ count: { of: "march" }, other: {} }]);
    await generateText({ model, tools: both, stopWhen, messages: [user("Count them.")], ...callbacks(steps) });
    const reopened = await workrailSteps(store, { sessionId });
    expect(reopened.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(reopened.isUnfinished).toBe(false);
    const given = answerTo(reopened.messages);
    await store.saveCheckpoint({ sessionId, patch: { append: { messages: [given] } } });
    const answered = await workrailSteps(store, { sessionId });
    expect(answered.isUnfinished).toBe(true);
    await generateText({ model: scriptedModel(["Done."]), tools: both, stopWhen, messages: answered.messages, ...callbacks(answered) });
    expect(answered.isUnfinished).toBe(false);
  });

  it("sends only new messages", async () => {
    const store = await freshStore();
    const sent: SaveCheckpointParams[] = [];
    const watched = watching(store, (params) => void sent.push(params));
    const steps = await workrailSteps(watched, { sessionId, agentId: "counter", metadata: { tags: ["march"] } });
    await generateText({ model: scriptedModel(TURNS), tools, stopWhen, messages: [user("Count them.")], ...callbacks(steps) });
    await steps.saved();
    const sizes = sent.map(({ context, patch }) => [
      context === undefined ? "patch" : "context",
      JSON.stringify(context ?? patch).match(/"role"/gu)?.length,
    ]);
    expect(sizes).toEqual([
      ["context", 1],
      ["patch", 2],
      ["patch", 2],
      ["patch", 1],
    ]);
    const [latest] = await store.listCheckpoints({ sessionId });
    expect(latest).toMatchObject({ agentId: "counter", tags: ["march"] });
  });

  it("ends the run when a step cannot be saved", async () => {
    const store = await freshStore();
    const steps = await workrailSteps(store, { sessionId });
    const model = scriptedModel(TURNS, (step) => (step === 1 ? store.close() : undefined));
    const run = generateText({ model, tools, stopWhen, messages: [user("Count them.")], ...callbacks(steps) });
    await expect(run).rejects.toMatchObject({ name: "WorkrailError" });
    expect(model.doGenerateCalls).toHaveLength(2);
  });

  it("reports a last step that cannot be saved, and saves it when that is possible again", async () => {
    const store = await freshStore();
    let isGone = false;
    const watched = watching(store, () => {
      if (isGone) throw new Error("The disk is gone.");
    });
    const steps = await workrailSteps(watched, { sessionId });
    const model = scriptedModel(["Done."], () => (isGone = true));
    await generateText({ model, messages: [user("Count them.")], ...callbacks(steps) });
    await expect(steps.saved()).rejects.toThrow("The disk is gone.");
    isGone = false;
    const { checkpointId } = await steps.saved();
    expect(await loadMessages(store, { checkpointId: String(checkpointId) })).toHaveLength(2);
  });

  it("does not wait for saves with async durability, and reports their failure to the next step", async () => {
    const store = await freshStore();
    let isGone = false;
    let release: () => void = () => undefined;
    const blocked = new Promise<void>((resolve) => (release = resolve));
    const watched = watching(store, async () => {
      await blocked;
      if (isGone) throw new Error("The disk is gone.");
    });
    const steps = await workrailSteps(watched, { sessionId, durability: "async" });
    await generateText({ model: scriptedModel(TURNS), tools, stopWhen, messages: [user("Count them.")], ...callbacks(steps) });
    expect(await loadMessages(store, { sessionId })).toEqual([]);
    release();
    await steps.saved();
    expect(await loadMessages(store, { sessionId })).toHaveLength(6);
    isGone = true;
    const lost = generateText({
      model: scriptedModel(TURNS, () => setImmediate()),
      tools,
      stopWhen,
      messages: [...steps.messages, user("Again.")],
      ...callbacks(steps),
    });
    await expect(lost).rejects.toThrow("The disk is gone.");
  });

  it("ends a run with async durability when saves fail slower than a step begins", async () => {
    const store = await freshStore();
    let failures = 0;
    const watched = watching(store, async () => {
      await setImmediate();
      failures += 1;
      throw new Error("The disk is gone.");
    });
    const steps = await workrailSteps(watched, { sessionId, durability: "async" });
    const counts = Array.from({ length: 9 }, () => ({ count: { of: "march" } }));
    const model = scriptedModel(counts, (step) => vi.waitUntil(() => failures > 2 * step, { interval: 1 }));
    const run = generateText({ model, tools, stopWhen, messages: [user("Count them.")], ...callbacks(steps) });
    await expect(run).rejects.toThrow("The disk is gone.");
    expect(model.doGenerateCalls.length).toBeLessThan(4);
  });

  it("refuses another durability", async () => {
    const opening = workrailSteps(await freshStore(), { sessionId, durability: "asinc" as "async" });
    await expect(opening).rejects.toMatchObject({ code: "INVALID_INPUT", details: { field: "durability" } });
  });

  it("refuses a run that would replace the saved messages", async () => {
    const store = await freshStore();
    const steps = await workrailSteps(store, { sessionId });
    await generateText({ model: scriptedModel(["Done."]), messages: [user("Count them.")], ...callbacks(steps) });
    const run = generateText({
      model: scriptedModel(["Done."]),
      messages: [user("Count again."), user("And again.")],
      ...callbacks(steps),
    });
    await expect(run).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await loadMessages(store, { sessionId })).toHaveLength(2);
  });

  it("refuses the steps of a run without its prepareStep, which would replace the saved messages", async () => {
    const store = await freshStore();
    const before = await workrailSteps(store, { sessionId });
    await generateText({ model: scriptedModel(["Done."]), messages: [user("Count them.")], ...callbacks(before) });
    const steps = await workrailSteps(store, { sessionId });
    const messages = [...steps.messages, user("Count again.")];
    await generateText({ model: scriptedModel(["Done."]), messages, onStepEnd: steps.onStepEnd });
    await expect(steps.saved()).rejects.toMatchObject({ code: "INVALID_INPUT", hint: expect.stringContaining("prepareStep") as string });
    const late: typeof steps.prepareStep = async (step) => (step.stepNumber === 0 ? {} : steps.prepareStep(step));
    const run = generateText({ model: scriptedModel(TURNS), tools, stopWhen, messages, ...callbacks(steps), prepareStep: late });
    await expect(run).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await loadMessages(store, { sessionId })).toEqual(before.messages);
    await generateText({ model: scriptedModel(["Done."]), messages, ...callbacks(steps) });
    await steps.saved();
    expect(await loadMessages(store, { sessionId })).toHaveLength(4);
  });

  it("keeps other entries that a tool saves to the session", async () => {
    const store = await freshStore();
    const steps = await workrailSteps(store, { sessionId });
    const plan = tool({
      inputSchema: jsonSchema<{ step: string }>({ type: "object", properties: { step: { type: "string" } } }),
      execute: async ({ step }) => (await store.saveCheckpoint({ sessionId, patch: { append: { plan: step } } })).checkpointId,
    });
    const turns = [{ plan: { step: "read" } }, { plan: { step: "write" } }, "Done."];
    await generateText({ model: scriptedModel(turns), tools: { plan }, stopWhen, messages: [user("Plan.")], ...callbacks(steps) });
    await steps.saved();
    const { context } = await store.loadCheckpoint({ sessionId });
    expect(context).toMatchObject({ plan: ["read", "write"] });
    expect(context["messages"]).toHaveLength(6);
  });

  it("ends the run when another process continues the same session", async () => {
    const store = await freshStore();
    const [mine, other] = [await workrailSteps(store, { sessionId }), await workrailSteps(store, { sessionId })];
    await generateText({ model: scriptedModel(["Done."]), messages: [user("Count them.")], ...callbacks(other) });
    const model = scriptedModel(["Done."]);
    const run = generateText({ model, messages: [user("Count others.")], ...callbacks(mine) });
    await expect(run).rejects.toMatchObject({ code: "CONFLICT", message: expect.stringContaining("Another process") as string });
    expect(model.doGenerateCalls).toEqual([]);
  });

  it("continues from the newest readable checkpoint", async () => {
    const dataDir = freshFolder();
    const before = await freshStore(dataDir);
    await before.saveCheckpoint({ sessionId, context: { plan: "count", messages: [user("Count them.")] } });
    const { blobPath } = await before.saveCheckpoint({ sessionId, patch: { set: { plan: "count twice" } } });
    await before.close();
    const [file = ""] = globSync(join(dataDir, "**", blobPath.split("/").at(-1) ?? ""));
    writeFileSync(file, "damaged");
    const store = await freshStore(dataDir);
    const steps = await workrailSteps(store, { sessionId });
    await generateText({ model: scriptedModel(["Done."]), messages: steps.messages, ...callbacks(steps) });
    await steps.saved();
    const { context } = await store.loadCheckpoint({ sessionId });
    expect(context).toMatchObject({ plan: "count", messages: [{ role: "user" }, { role: "assistant" }] });
  });
});

function callbacks(steps: Awaited<ReturnType<typeof workrailSteps>>): Pick<typeof steps, "prepareStep" | "onStepEnd"> {
  return { prepareStep: steps.prepareStep, onStepEnd: steps.onStepEnd };
}

/** Answers the open call: by a denial when its approval is asked for, otherwise by a result. */
function answerTo(messages: readonly ModelMessage[]): Extract<ModelMessage, { role: "tool" }> {
  const request = messages.flatMap(partsOf).find((part) => part.type === "tool-approval-request");
  if (request !== undefined) {
    return { role: "tool", content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved: false }] };
  }
  const output = { type: "text", value: "Empty." } as const;
  return { role: "tool", content: [{ type: "tool-result", toolCallId: "call-1-1", toolName: "other", output }] };
}

/** A store that tells of each save before it is done. */
function watching(store: Workrail, onSave: (params: SaveCheckpointParams) => unknown): Workrail {
  const saveCheckpoint: Workrail["saveCheckpoint"] = async (params) => {
    await onSave(params);
    return store.saveCheckpoint(params);
  };
  return Object.assign(Object.create(store) as Workrail, { saveCheckpoint });
}
