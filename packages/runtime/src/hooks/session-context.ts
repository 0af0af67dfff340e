import { type Context, type JsonObject, quickDigest } from "@workrail/core";
import { contextOfNotes, type WorkNotes } from "@workrail/views/work-notes";
import type { HookState } from "./hook-state.ts";

type KeptSession = Pick<HookState, "host" | "hostSession" | "sessionId" | "isSubagent" | "continues" | "conversation">;

/** The state of a host's session as its checkpoint holds it. */
export function contextOfSession(session: KeptSession, notes: WorkNotes): Context {
  return contextOfNotes(notes, factsOf(session, notes));
}

/** Tells whether a session's state equals the last saved one. */
export function digestOfContext(context: Context): string {
  return quickDigest(Buffer.from(JSON.stringify(context)));
}

function factsOf(
  { host, hostSession, isSubagent, continues, conversation, sessionId }: KeptSession,
  { startedAt, lastAt, counts }: WorkNotes,
): JsonObject {
  return {
    host,
    id: hostSession,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(lastAt === undefined ? {} : { lastAt }),
    prompts: counts.prompts,
    calls: counts.calls,
    conversation: conversationSession(sessionId, conversation.part),
    ...(isSubagent === true ? { isSubagent } : {}),
    ...(continues === undefined ? {} : { continues }),
  };
}

/** The session of the store that keeps a part of a session's conversation. */
export function conversationSession(sessionId: string, part: number): string {
  return `${sessionId}-conversation${part === 1 ? "" : `-${part}`}`;
}

/** Returns the context of a conversation without its messages. */
export function conversationContext({ hostSession }: Pick<HookState, "hostSession">, topic: string | undefined): Context {
  return { topic: topic ?? hostSession, format: "messages" };
}

const LONGEST_NAME = 120;

/** The name of a session's checkpoints. */
export function nameOf(topic: string): string {
  return topic.slice(0, LONGEST_NAME).toWellFormed().replaceAll("\0", "");
}
