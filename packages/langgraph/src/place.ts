import { createHash } from "node:crypto";
import type { RunnableConfig } from "@langchain/core/runnables";
import { parseSessionId, WorkrailError } from "@workrail/core";

/** Names a checkpoint as LangGraph does. */
export interface Place {
  readonly threadId: string;
  /** Namespace of a subgraph; empty for the graph itself. */
  readonly namespace: string;
  readonly id: string;
}

/**
 * Reads the parts of a place from a configuration; absent ones are `undefined`. An empty id of a thread or a checkpoint names nothing. A
 * number is read as its text, as `PostgresSaver` stores it.
 *
 * @throws INVALID_INPUT for a part that is neither text nor number.
 */
export function partsOf({ configurable = {} }: RunnableConfig): { readonly [Part in keyof Place]: string | undefined } {
  const part = (field: string): string | undefined => textOf(configurable[field], field);
  return {
    threadId: part("thread_id") || undefined,
    namespace: part("checkpoint_ns"),
    id: part("checkpoint_id") || part("thread_ts") || undefined,
  };
}

function textOf(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null || typeof value === "string") return value ?? undefined;
  if (typeof value === "number") return String(value);
  throw new WorkrailError("INVALID_INPUT", `The ${field} of the configuration must be a text, not a ${typeof value}.`, {
    details: { field },
    hint: "Convert it with String().",
  });
}

/** @throws INVALID_INPUT when the configuration names no thread. */
export function threadOf(config: RunnableConfig): string {
  const { threadId } = partsOf(config);
  if (threadId !== undefined) return threadId;
  throw missing("thread_id", "Invoke the graph with { configurable: { thread_id } }.");
}

/** @throws INVALID_INPUT when the configuration names no checkpoint. */
export function placeOf(config: RunnableConfig): Place {
  const { namespace = "", id } = partsOf(config);
  const threadId = threadOf(config);
  if (id === undefined) throw missing("checkpoint_id", "Pass the configuration that put returned.");
  return { threadId, namespace, id };
}

function missing(field: string, hint: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `The configuration has no ${field}.`, { details: { field }, hint });
}

/** Returns the configuration that names a place. */
export function configOf({ threadId, namespace, id }: Place): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: id } };
}

/**
 * Returns the session of a thread: the thread's own id, or a digest of it when it is no session id. LangGraph takes any text as the id of
 * a thread.
 */
export function sessionIdOf(threadId: string): string {
  return isSessionId(threadId) ? threadId : `langgraph-${digestOf(threadId)}`;
}

function isSessionId(text: string): boolean {
  try {
    return parseSessionId(text) === text;
  } catch {
    return false;
  }
}

/** Returns the id of a checkpoint in the store. LangGraph's id is unique only in its thread and namespace. */
export function storedIdOf({ threadId, namespace, id }: Place): string {
  return digestOf(JSON.stringify([threadId, namespace, id])).slice(0, 40);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
