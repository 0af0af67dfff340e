// A program that uses @workrail/ai-sdk as its users would. It is compiled, not run.
import { loadMessages, trimMessages, workrailChat, workrailSteps } from "@workrail/ai-sdk";
import { openWorkrail } from "@workrail/runtime";
import {
  convertToModelMessages,
  createUIMessageStream,
  generateText,
  type InferUITools,
  isStepCount,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  streamText,
  tool,
  ToolLoopAgent,
  toUIMessageStream,
  type UIMessage,
} from "ai";

const tools = {
  count: tool({ inputSchema: jsonSchema<{ of: string }>({ type: "object" }), execute: ({ of }) => ({ number: of.length }) }),
};
type ChatMessage = UIMessage<{ seen: boolean }, { chart: { bars: number } }, InferUITools<typeof tools>>;

/** Accepts exactly one type. */
function expectType<Expected>(): <Given>(given: Given & ([Given, Expected] extends [Expected, Given] ? unknown : never)) => void {
  return () => undefined;
}

export async function useSteps(model: LanguageModel): Promise<number> {
  await using store = await openWorkrail();
  const steps = await workrailSteps(store, { sessionId: "a", durability: "async", budgetTokens: 10_000, metadata: { tags: ["b"] } });
  const { messages, prepareStep, onStepEnd } = steps;
  expectType<ModelMessage[]>()(messages);
  const result = await generateText({ model, tools, stopWhen: isStepCount(2), messages, prepareStep, onStepEnd });
  const [call] = result.toolCalls;
  if (call !== undefined && call.dynamic !== true) expectType<{ of: string }>()(call.input);
  const agent = new ToolLoopAgent({
    model,
    tools,
    prepareStep: async (step) => ({ ...(await prepareStep(step)), activeTools: ["count"] }),
  });
  await agent.generate({ messages, onStepEnd });
  // @ts-expect-error There is no such durability.
  await workrailSteps(store, { sessionId: "a", durability: "never" });
  // @ts-expect-error A session needs its id.
  await workrailSteps(store, {});
  const { tokens, leftOut } = await trimMessages(store, { messages, budgetTokens: 1_000, sessionId: "a" });
  expectType<string | undefined>()(leftOut?.checkpointId);
  return tokens;
}

export async function useChat(model: LanguageModel): Promise<ReadableStream> {
  await using store = await openWorkrail();
  const chat = await workrailChat<ChatMessage>(store, { sessionId: "a" });
  expectType<ChatMessage[]>()(chat.messages);
  expectType<ChatMessage[]>()(await loadMessages<ChatMessage>(store, { sessionId: "a" }));
  for (const part of chat.messages.flatMap(({ parts }) => parts)) {
    if (part.type === "tool-count" && part.state === "output-available") expectType<number>()(part.output.number);
    if (part.type === "data-chart") expectType<number>()(part.data.bars);
  }
  // @ts-expect-error The metadata has another type.
  await chat.add({ id: "a", role: "user", parts: [], metadata: { seen: "yes" } });
  const messages = await convertToModelMessages(chat.messages, { tools });
  const result = streamText({ model, tools, messages, prepareStep: chat.prepareStep });
  const stream = toUIMessageStream<typeof tools, ChatMessage>({ stream: result.stream, ...chat.uiStream() });
  return createUIMessageStream<ChatMessage>({ execute: ({ writer }) => writer.merge(stream), ...chat.uiStream() });
}
