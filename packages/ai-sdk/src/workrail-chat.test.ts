import { setTimeout } from "node:timers/promises";
import {
  consumeStream,
  convertToModelMessages,
  createUIMessageStreamResponse,
  type InferUITools,
  isStepCount,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
} from "ai";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { freshStore } from "../test/fresh-store.ts";
import { scriptedModel, type Turn } from "../test/scripted-model.ts";
import { loadMessages } from "./load-messages.ts";
import { workrailChat, type WorkrailChat } from "./workrail-chat.ts";

const sessionId = "chat-1";
const tools = { count: tool({ inputSchema: z.object({ of: z.string() }), execute: ({ of }) => ({ of, number: of.length }) }) };
type ChatMessage = UIMessage<{ readonly seen: boolean }, { chart: { readonly bars: number } }, InferUITools<typeof tools>>;

const asked: ChatMessage = {
  id: "asked",
  role: "user",
  metadata: { seen: true },
  parts: [
    { type: "text", text: "Count them." },
    { type: "file", mediaType: "image/png", url: "data:image/png;base64,AAEC/w==" },
    { type: "data-chart", data: { bars: 3 } },
  ],
};
const TURNS: readonly Turn[] = [
  [
    { type: "reasoning", text: "March first.", providerMetadata: { anthropic: { signature: "c2ln" } } },
    { type: "tool-call", toolCallId: "a", toolName: "count", input: '{"of":"march"}' },
  ],
  { count: { of: "april" } },
  "Both are counted.",
];

/** Answers as a route would, and returns the response. */
async function answer(chat: WorkrailChat<ChatMessage>, model: ReturnType<typeof scriptedModel>): Promise<Response> {
  const messages = await convertToModelMessages(chat.messages);
  const result = streamText({ model, tools, stopWhen: isStepCount(10), messages, prepareStep: chat.prepareStep, onError: () => undefined });
  return createUIMessageStreamResponse({
    stream: toUIMessageStream<typeof tools, ChatMessage>({ stream: result.stream, ...chat.uiStream() }),
    consumeSseStream: consumeStream,
  });
}

describe("workrailChat", () => {
  it("stores the question, and each step of the answer, durably before the next step begins", async () => {
    const store = await freshStore();
    const chat = await workrailChat<ChatMessage>(store, { sessionId });
    expectTypeOf(chat.messages).toEqualTypeOf<ChatMessage[]>();
    await chat.add(asked);
    const durable: string[][] = [];
    const model = scriptedModel(TURNS, async () => {
      const messages = await loadMessages<ChatMessage>(store, { sessionId });
      durable.push(messages.flatMap(({ parts }) => parts.map(({ type }) => type)));
    });
    const response = await answer(chat, model);
    const sent = await response.text();
    const question = ["text", "file", "data-chart"];
    expect(durable).toEqual([
      question,
      [...question, "step-start", "reasoning", "tool-count"],
      [...question, "step-start", "reasoning", "tool-count", "step-start", "tool-count"],
    ]);
    expect(sent).toContain("Both are counted.");
    const reopened = await workrailChat<ChatMessage>(store, { sessionId });
    expect(reopened.messages).toEqual(chat.messages);
    expect(reopened.messages[0]).toStrictEqual(asked);
    expect(reopened.messages[1]?.parts[1]).toMatchObject({ type: "reasoning", providerMetadata: { anthropic: { signature: "c2ln" } } });
    expect(reopened.isUnfinished).toBe(false);
    const { total } = await store.findCheckpoints({ sessionId });
    expect(total).toBe(4);
  });

  it("starts no step before the previous one has reached the client's stream", async () => {
    const store = await freshStore();
    const chat = await workrailChat<ChatMessage>(store, { sessionId });
    await chat.add(asked);
    const order: string[] = [];
    let begin: () => void = () => undefined;
    const secondBegins = new Promise<void>((resolve) => (begin = resolve));
    const model = scriptedModel(TURNS, (step) => {
      order.push(`step ${step}`);
      if (step === 1) begin();
    });
    const messages = await convertToModelMessages(chat.messages);
    const result = streamText({ model, tools, stopWhen: isStepCount(10), messages, prepareStep: chat.prepareStep });
    type Part = typeof result.stream extends ReadableStream<infer Chunk> ? Chunk : never;
    const slow = new TransformStream<Part, Part>(
      {
        async transform(part, controller) {
          if (part.type === "finish-step" && order.length === 1) {
            await Promise.race([secondBegins, setTimeout(100)]);
            order.push("client has step 0");
          }
          controller.enqueue(part);
        },
      },
      { highWaterMark: 100 },
    );
    const stream = toUIMessageStream<typeof tools, ChatMessage>({ stream: result.stream.pipeThrough(slow), ...chat.uiStream() });
    await consumeStream({ stream });
    expect(order).toEqual(["step 0", "client has step 0", "step 1", "step 2"]);
  });

  it("continues in the same message when the answer was interrupted between two steps", async () => {
    const store = await freshStore();
    const first = await workrailChat<ChatMessage>(store, { sessionId });
    await first.add(asked);
    await (await answer(first, scriptedModel(TURNS.slice(0, 2)))).text();
    const second = await workrailChat<ChatMessage>(store, { sessionId });
    expect(second.isUnfinished).toBe(true);
    const model = scriptedModel(TURNS.slice(2));
    await (await answer(second, model)).text();
    expect(JSON.stringify(model.doStreamCalls[0]?.prompt)).toContain('"number":5');
    expect(second.messages.map(({ id }) => id)).toEqual(first.messages.map(({ id }) => id));
    expect(second.messages[1]?.parts.at(-1)).toMatchObject({ type: "text", text: "Both are counted." });
    expect(await loadMessages<ChatMessage>(store, { sessionId })).toEqual(second.messages);
  });

  it("saves no empty answer when the model fails at once", async () => {
    const store = await freshStore();
    const chat = await workrailChat<ChatMessage>(store, { sessionId });
    await chat.add(asked);
    const sent = await (await answer(chat, scriptedModel([]))).text();
    expect(sent).toContain('"type":"error"');
    expect(await loadMessages<ChatMessage>(store, { sessionId })).toEqual([asked]);
    expect(chat.isUnfinished).toBe(true);
  });

  it("continues after the client disconnects", async () => {
    const store = await freshStore();
    const chat = await workrailChat<ChatMessage>(store, { sessionId });
    await chat.add(asked);
    const response = await answer(chat, scriptedModel(TURNS));
    await response.body?.cancel();
    await expect.poll(() => loadMessages<ChatMessage>(store, { sessionId })).toMatchObject([{}, { parts: { length: 7 } }]);
  });

  it("ends the answer when it cannot be saved", async () => {
    const store = await freshStore();
    const chat = await workrailChat<ChatMessage>(store, { sessionId });
    await chat.add(asked);
    const model = scriptedModel(TURNS, (step) => (step === 1 ? store.close() : undefined));
    const sent = await (await answer(chat, model)).text().catch(String);
    expect(model.doStreamCalls).toHaveLength(2);
    expect(sent).not.toContain("Both are counted.");
  });

  it.each(["the provider ends with an error", "the stream breaks", "the client leaves"] as const)(
    "keeps the complete steps of an answer, and repeats the one in which %s",
    async (how) => {
      const store = await freshStore();
      const chat = await workrailChat<ChatMessage>(store, { sessionId });
      await chat.add(asked);
      const failed: Turn = [
        { type: "text", text: "I count." },
        { type: "tool-call", toolCallId: "b", toolName: "count", input: '{"of":"april"}' },
        { type: how === "the stream breaks" ? "throw" : "error", error: new Error("The provider is overloaded.") },
      ];
      const messages = await convertToModelMessages(chat.messages);
      const model = scriptedModel([{ count: { of: "march" } }, failed]);
      const given = { model, tools, stopWhen: isStepCount(10), messages, prepareStep: chat.prepareStep };
      const { stream } = streamText({ ...given, onError: () => undefined });
      const reader = toUIMessageStream<typeof tools, ChatMessage>({ stream, ...chat.uiStream() }).getReader();
      const last = how === "the client leaves" ? "text-delta" : "none";
      let chunk = await reader.read();
      while (!chunk.done && chunk.value.type !== last) chunk = await reader.read().catch(() => ({ done: true, value: undefined }));
      await reader.cancel().catch(() => undefined);
      const reopened = await workrailChat<ChatMessage>(store, { sessionId });
      expect(reopened.messages[1]?.parts).toMatchObject([{ type: "step-start" }, { state: "output-available" }]);
      expect(reopened.isUnfinished).toBe(true);
      await (await answer(reopened, scriptedModel(TURNS.slice(2)))).text();
      expect(reopened.messages[1]?.parts).toHaveLength(4);
    },
  );

  it("replaces a message and all later ones, as an edit or a new answer does", async () => {
    const store = await freshStore();
    const chat = await workrailChat<ChatMessage>(store, { sessionId });
    await chat.add(asked);
    await (await answer(chat, scriptedModel(["Three."]))).text();
    const edited: ChatMessage = { ...asked, parts: [{ type: "text", text: "Count the files." }] };
    expect(await chat.add(edited)).toEqual([edited]);
    expect(await loadMessages<ChatMessage>(store, { sessionId })).toEqual([edited]);
  });

  it("replaces the message of each known id among several", async () => {
    const chat = await workrailChat<ChatMessage>(await freshStore(), { sessionId });
    const [first, second, third] = ["1", "2", "3"].map((id): ChatMessage => ({ ...asked, id }));
    if (first === undefined || second === undefined || third === undefined) throw new Error("Messages are missing.");
    await chat.add(first, second);
    expect(await chat.add(third, second)).toEqual([first, second]);
    expect(await chat.add(first, second, third)).toEqual([first, second, third]);
  });

  it("goes on after the last step's calls, and waits for the user when one of them needs approval", async () => {
    const chat = await workrailChat(await freshStore(), { sessionId });
    const call = { type: "tool-count", toolCallId: "a", input: {} } as const;
    const waiting = { ...call, state: "input-available" } as const;
    const asks = { ...call, state: "approval-requested", approval: { id: "x" } } as const;
    const approved = { ...call, state: "approval-responded", approval: { id: "x", approved: true } } as const;
    const done = { ...call, toolCallId: "b", state: "output-available", output: 1 } as const;
    const steps: readonly (readonly [boolean, UIMessage["parts"]])[] = [
      [false, [waiting]],
      [false, [asks]],
      [true, [approved]],
      [true, [done]],
      [true, [done, { type: "text", text: "I counted." }]],
      [false, [done, { type: "text", text: "I cou", state: "streaming" }]],
      [false, [asks, done]],
      [false, [done, asks]],
      [true, [approved, done]],
      [false, [waiting, done]],
      [false, [{ ...done, preliminary: true }]],
      [false, [{ ...done, providerExecuted: true }]],
      [true, [{ ...approved, providerExecuted: true }, done]],
      [false, [done, { type: "step-start" }, { type: "text", text: "Both are counted." }]],
    ];
    for (const [isUnfinished, parts] of steps) {
      await chat.add({ id: "answer", role: "assistant", parts });
      expect([parts, chat.isUnfinished]).toEqual([parts, isUnfinished]);
    }
  });

  it("gives the model the messages that fit, and keeps all for the user", async () => {
    const store = await freshStore();
    const chat = await workrailChat<ChatMessage>(store, { sessionId, budgetTokens: 1_500 });
    for (let turn = 0; turn < 8; turn++) {
      await chat.add({ id: `q${turn}`, role: "user", parts: [{ type: "text", text: `Question ${turn}?` }] });
      await (await answer(chat, scriptedModel([`Answer ${turn}: ${"lorem ipsum ".repeat(150)}`]))).text();
    }
    const model = scriptedModel(["Nine."]);
    await chat.add(asked);
    await (await answer(chat, model)).text();
    const prompt = JSON.stringify(model.doStreamCalls[0]?.prompt);
    expect(prompt).toMatch(/\[\d of the 17 messages/u);
    expect(prompt).toContain("Question 0?");
    expect(chat.messages).toHaveLength(18);
  });
});
