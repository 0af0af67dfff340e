import {
  type CheckpointFacts,
  type Digester,
  exceedPinLimits,
  firstCharacters,
  type ForeignCheckpoint,
  type ForeignSession,
  LABEL_LIMITS,
} from "@workrail/core";
import { checkpointTexts, closingText, openingText } from "./export-text.ts";

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

/** Turns a text into a valid label; `undefined` for an empty one. Replaces the characters that no label may have. */
function cut(text: string | undefined, length: number): string | undefined {
  return text === undefined || text === "" ? undefined : firstCharacters(length, text).toWellFormed().replaceAll("\0", "\ufffd");
}

function fittingPins(given: readonly string[]): readonly string[] {
  const pins: string[] = [];
  for (const pin of given) {
    if (exceedPinLimits([...pins, pin])) break;
    pins.push(pin);
  }
  return pins;
}
