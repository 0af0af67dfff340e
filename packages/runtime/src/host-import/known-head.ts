import { type Context, isJsonObject, type JsonValue } from "@workrail/core";
import type { Workrail } from "../workrail.ts";

/** The latest checkpoint of a session in the store. */
export interface KnownHead {
  readonly id: string;
  readonly createdAt: Date;
  readonly context: Context;
}

/** `undefined` when the store does not have the session. */
export async function knownHead(store: Workrail, sessionId: string): Promise<KnownHead | undefined> {
  const { checkpoints } = await store.findCheckpoints({ sessionId, limit: 1 });
  const [head] = checkpoints;
  if (head === undefined || head.damaged === true) return undefined;
  const { context } = await store.loadCheckpoint({ checkpointId: head.id });
  return { id: head.id, createdAt: new Date(head.createdAt), context: context as Context };
}

export async function hasSession(store: Workrail, sessionId: string): Promise<boolean> {
  return (await store.findCheckpoints({ sessionId, limit: 1 })).checkpoints.length > 0;
}

/** Tells whether the stored state of a session is older than another state: it was saved before the session ended. */
export function tellsLess(known: Context, context: Context): boolean {
  const [before, now] = [progressOf(known["session"]), progressOf(context["session"])];
  return before !== undefined && now !== undefined && isBehind(before, now);
}

/** Tells whether a stored conversation is the beginning of a longer one. */
export function isBeginning(known: Context, messages: readonly JsonValue[]): boolean {
  const before = messagesIn(known);
  return (
    before !== undefined && before.length < messages.length && (before.length === 0 || isSame(before.at(-1), messages[before.length - 1]))
  );
}

/** Tells whether a stored conversation has at least these messages. */
export function hasMessages(known: Context, messages: readonly JsonValue[]): boolean {
  const have = messagesIn(known);
  return have !== undefined && have.length >= messages.length && isSame(have[messages.length - 1], messages.at(-1));
}

function messagesIn({ conversation }: Context): readonly JsonValue[] | undefined {
  return Array.isArray(conversation) ? conversation : undefined;
}

function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

interface SessionProgress {
  readonly lastAt: string;
  readonly prompts: number;
  readonly calls: number;
}

function progressOf(session: JsonValue | undefined): SessionProgress | undefined {
  if (session === undefined || !isJsonObject(session)) return undefined;
  const { lastAt = "", prompts, calls } = session;
  return typeof lastAt === "string" && typeof prompts === "number" && typeof calls === "number" ? { lastAt, prompts, calls } : undefined;
}

function isBehind(before: SessionProgress, now: SessionProgress): boolean {
  if (before.lastAt !== now.lastAt) return before.lastAt < now.lastAt;
  return before.prompts < now.prompts || before.calls < now.calls;
}
