import * as z from "zod";
import { type DataPorts, reading } from "./call.ts";
import { textOf } from "./changes.ts";
import type { JsonValue } from "@workrail/core";

/** One message or action of a participant. */
export interface ConversationPart {
  readonly speaker: string;
  readonly kind: "text" | "call" | "result";
  /** Name of the tool, for calls. */
  readonly tool?: string | undefined;
  readonly text: string;
  /** Characters of the whole text, when it is cut here. */
  readonly characters?: number | undefined;
  readonly at?: string | undefined;
  readonly hasFailed?: true | undefined;
}

export interface ConversationPage {
  /** The checkpoint that holds the conversation; absent when there is none. */
  readonly checkpointId?: string | undefined;
  readonly said: readonly ConversationPart[];
  readonly offset: number;
  readonly total: number;
}

const PAGE = 200;
const LONGEST = 8_000;

/** Returns a page of the conversation that belongs to a checkpoint: its own, or the one stored with its session. */
export const conversation = reading(
  z.object({ checkpointId: z.string(), offset: z.int().min(0).default(0) }),
  async (ports, { checkpointId, offset }): Promise<ConversationPage> => {
    const found = await findConversation(ports, checkpointId);
    if (found === undefined) return { said: [], offset: 0, total: 0 };
    const all = saidIn(found.conversation);
    return { checkpointId: found.checkpointId, said: all.slice(offset, offset + PAGE), offset, total: all.length };
  },
);

interface Stored {
  readonly checkpointId: string;
  readonly conversation: unknown;
}

async function findConversation({ store }: DataPorts, checkpointId: string): Promise<Stored | undefined> {
  const { context, sessionId } = await store.loadCheckpoint({ checkpointId, isPeek: true });
  if (isConversation(context["conversation"])) return { checkpointId, conversation: context["conversation"] };
  const named = (context["session"] as { readonly conversation?: unknown } | undefined)?.conversation;
  const other = typeof named === "string" ? named : `${sessionId}-conversation`;
  const { checkpoints } = await store.findCheckpoints({ sessionId: other, kind: "conversation", limit: 1 });
  const [latest] = checkpoints;
  if (latest === undefined) return undefined;
  const loaded = await store.loadCheckpoint({ checkpointId: latest.id, isPeek: true });
  const held = loaded.context["conversation"] ?? loaded.context["messages"];
  return isConversation(held) ? { checkpointId: latest.id, conversation: held } : undefined;
}

export function isConversation(value: unknown): boolean {
  return typeof value === "string" || Array.isArray(value);
}

/** Returns the parts of a conversation in their order. */
export function saidIn(conversation: unknown): readonly ConversationPart[] {
  if (typeof conversation === "string") return conversation.split(/\n{2,}/u).map((text) => said("", "text", text));
  return (conversation as readonly unknown[]).flatMap((message) => saidBy(message));
}

function saidBy(message: unknown): readonly ConversationPart[] {
  const { role, content, at } = (typeof message === "object" && message !== null ? message : { content: message }) as Message;
  const speaker = typeof role === "string" ? role : "";
  const parts = Array.isArray(content) ? content : [content ?? message];
  return parts.map((part) => ({ ...partOf(speaker, part as Part), ...(typeof at === "string" ? { at } : {}) }));
}

interface Message {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly at?: unknown;
}

type Part =
  | string
  | {
      readonly type?: string;
      readonly text?: unknown;
      readonly name?: unknown;
      readonly input?: unknown;
      readonly content?: unknown;
      readonly is_error?: unknown;
    };

function partOf(speaker: string, part: Part): ConversationPart {
  if (typeof part !== "object" || part === null) return said(speaker, "text", textOf(part));
  if (typeof part.text === "string") return said(speaker, "text", part.text);
  if (part.type === "tool_use") {
    return { ...said(speaker, "call", textOf((part.input ?? null) as JsonValue)), tool: typeof part.name === "string" ? part.name : "" };
  }
  if (part.type === "tool_result") {
    return {
      ...said(speaker, "result", textOf((part.content ?? null) as JsonValue)),
      ...(part.is_error === true ? { hasFailed: true as const } : {}),
    };
  }
  return said(speaker, "text", textOf(part as unknown as JsonValue));
}

function said(speaker: string, kind: ConversationPart["kind"], text: string): ConversationPart {
  if (text.length <= LONGEST) return { speaker, kind, text };
  return { speaker, kind, text: text.slice(0, LONGEST).toWellFormed(), characters: text.length };
}
