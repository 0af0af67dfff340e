import type { CheckpointFacts, CheckpointKind } from "../model/checkpoint.ts";
import { firstCharacters } from "../model/characters.ts";
import type { Context, JsonObject } from "../model/context.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import { LABEL_LIMITS } from "../model/limits.ts";
import type { Digester } from "../ports/environment.ts";
import { areTooMuch } from "../use-cases/sessions/pin-entry.ts";
import { checkpointTexts, closingText, openingText } from "./export-text.ts";

/**
 * Session of another program, in the form of an export. Its ids derive from the program's ids and the content, so reading the
 * same session twice gives the same ids.
 */
export interface ForeignSession {
  readonly id: SessionId;
  readonly createdAt: Date;
  /** Program that kept the session: the `writer` of its checkpoints. */
  readonly writer: string;
  /** Agent that saved the checkpoints. */
  readonly agentId?: string | undefined;
  /** Absolute path of the project's root, if known. */
  readonly project?: string | undefined;
  /** Name for checkpoints without one of their own. */
  readonly name?: string | undefined;
  /** Keys of critical entries. Keys beyond the limit of a session are dropped from the end. */
  readonly pins?: readonly string[] | undefined;
  /** Oldest first. */
  readonly checkpoints: Iterable<ForeignCheckpoint>;
}

/** A checkpoint of a foreign session. */
export interface ForeignCheckpoint {
  readonly id: CheckpointId;
  readonly parentId: CheckpointId | null;
  readonly kind: CheckpointKind;
  readonly createdAt: Date;
  readonly context: Context;
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly attributes?: JsonObject | undefined;
}

/**
 * Writes a foreign session as an export for `importSession`. Shortens names and tags to their limits; contexts stay whole. Holds
 * one checkpoint in memory at a time.
 */
export function* foreignSessionText(session: ForeignSession, digests: Digester): Generator<string, void, undefined> {
  yield openingText({ id: session.id, createdAt: session.createdAt, tags: [], pins: fittingPins(session.pins ?? []) }, digests);
  let isFirst = true;
  for (const checkpoint of session.checkpoints) {
    const contextText = JSON.stringify(checkpoint.context);
    const record = { ...factsOf(session, checkpoint), exactDigest: digests.sha256(contextText) };
    yield isFirst ? "\n" : ",\n";
    yield* checkpointTexts({ record, context: checkpoint.context, contextText: () => contextText }, digests);
    isFirst = false;
  }
  yield closingText(!isFirst, []);
}

function factsOf(
  session: ForeignSession,
  { id, parentId, kind, createdAt, name, tags, attributes = {} }: ForeignCheckpoint,
): Omit<CheckpointFacts, "sessionId" | "exactDigest" | "canonicalDigest" | "contextBytes"> {
  return {
    id,
    parentId,
    kind,
    createdAt,
    agentId: session.agentId,
    workflowId: undefined,
    project: session.project,
    name: cut(name, LABEL_LIMITS.nameLength) ?? cut(session.name, LABEL_LIMITS.nameLength),
    tags: (tags ?? []).flatMap((tag) => cut(tag, LABEL_LIMITS.tagLength) ?? []).slice(0, LABEL_LIMITS.tags),
    attributes,
    layers: undefined,
    writer: session.writer,
  };
}

/** Turns a text into a valid label; `undefined` for an empty one. Replaces lone surrogates, which UTF-8 cannot encode. */
function cut(text: string | undefined, length: number): string | undefined {
  return text === undefined || text === "" ? undefined : firstCharacters(length, text).toWellFormed();
}

function fittingPins(given: readonly string[]): readonly string[] {
  const pins: string[] = [];
  for (const pin of given) {
    if (areTooMuch([...pins, pin])) break;
    pins.push(pin);
  }
  return pins;
}
