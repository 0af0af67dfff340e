import {
  consumeStream,
  convertToModelMessages,
  createUIMessageStreamResponse,
  type InferUITools,
  isStepCount,
  streamText,
  toUIMessageStream,
  type UIMessage,
  validateUIMessages,
} from "ai";
import { z } from "zod";
import { model, tools } from "./agent.ts";
import { useWorkrail } from "./use-workrail.ts";

type ChatMessage = UIMessage<unknown, never, InferUITools<typeof tools>>;

const body = z.object({ id: z.string().regex(/^[\w-]{1,64}$/u), message: z.unknown().optional() });

/** A route handler, as in `app/api/chat/route.ts` of Next. Without a message it goes on with an interrupted answer. */
export async function POST(request: Request): Promise<Response> {
  const { id, message } = body.parse(await request.json());
  const chat = await useWorkrail<ChatMessage>(id, { budgetTokens: 100_000 });
  if (message !== undefined) await chat.add(...(await validateUIMessages<ChatMessage>({ messages: [message], tools })));
  if (!chat.isUnfinished) return new Response(null, { status: 204 });
  const result = streamText({
    model,
    tools,
    stopWhen: isStepCount(20),
    messages: await convertToModelMessages(chat.messages, { tools, ignoreIncompleteToolCalls: true }),
    prepareStep: chat.prepareStep,
  });
  const stream = toUIMessageStream<typeof tools, ChatMessage>({ stream: result.stream, tools, ...chat.uiStream() });
  // Reads the answer to its end even when the client leaves.
  return createUIMessageStreamResponse({ stream, consumeSseStream: consumeStream });
}

/** The messages that the page shows: `const { messages } = await (await fetch("/api/chat?id=…")).json()`. */
export async function GET(request: Request): Promise<Response> {
  const { id } = body.parse(Object.fromEntries(new URL(request.url).searchParams));
  const { messages, isUnfinished } = await useWorkrail<ChatMessage>(id);
  return Response.json({ messages, isUnfinished });
}
