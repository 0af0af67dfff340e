import { WorkrailError } from "../errors.ts";
import { CHECKPOINT_KINDS, type CheckpointFacts, type CheckpointKind } from "../model/checkpoint.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/context.ts";
import { type CheckpointId, type Digest, parseCheckpointId, parseDigest, parseSessionId } from "../model/ids.ts";
import { LAYERS, type LayerSummary } from "../model/layer.ts";

/** What an envelope says of itself; a delta leaves the canonical digest to be computed from the context it makes. */
export type EnvelopeFacts = Omit<CheckpointFacts, "canonicalDigest"> & { readonly canonicalDigest: Digest | undefined };

/**
 * The facts as JSON. Names are short and what is usual is left out, because a compacted checkpoint is little more
 * than its envelope: with digests in full and every field spelt out it would take half as much again.
 */
export function toJson(facts: CheckpointFacts, base?: CheckpointId): JsonObject {
  const { canonicalDigest } = facts;
  return {
    id: facts.id,
    session: facts.sessionId,
    ...unless(facts.parentId === null, { parent: facts.parentId }),
    ...unless(facts.kind === "workflow", { kind: facts.kind }),
    created: facts.createdAt.toISOString(),
    ...given("agent", facts.agentId),
    ...given("workflow", facts.workflowId),
    ...given("project", facts.project),
    ...given("name", facts.name),
    ...unless(facts.tags.length === 0, { tags: facts.tags }),
    ...unless(Object.keys(facts.attributes).length === 0, { attributes: facts.attributes }),
    bytes: facts.contextBytes,
    sha256: facts.exactDigest,
    ...unless(canonicalDigest === facts.exactDigest || base !== undefined, { canonical: canonicalDigest }),
    ...given("layers", facts.layers === undefined ? undefined : { ...facts.layers }),
    writer: facts.writer,
    ...given("base", base),
  };
}

/** @throws CHECKPOINT_CORRUPT when a field makes no sense; UNSUPPORTED_VERSION for a kind that a newer version added. */
export function fromJson(envelope: JsonObject): EnvelopeFacts {
  try {
    const exactDigest = parseDigest(envelope["sha256"]);
    return {
      id: parseCheckpointId(envelope["id"]),
      sessionId: parseSessionId(envelope["session"]),
      parentId: parent(envelope["parent"]),
      kind: kind(envelope["kind"]),
      createdAt: time(text(envelope, "created")),
      agentId: optionalText(envelope, "agent"),
      workflowId: optionalText(envelope, "workflow"),
      project: optionalText(envelope, "project"),
      name: optionalText(envelope, "name"),
      tags: tags(envelope["tags"]),
      attributes: attributes(envelope["attributes"]),
      exactDigest,
      canonicalDigest: canonical(envelope, exactDigest),
      contextBytes: count(envelope["bytes"]),
      layers: layers(envelope["layers"]),
      writer: text(envelope, "writer"),
    };
  } catch (cause) {
    if (cause instanceof WorkrailError && cause.code !== "INVALID_INPUT") throw cause;
    throw corrupt("has an envelope with a field that makes no sense", cause);
  }
}

/** Of a whole checkpoint it is left out where it is the exact one. */
function canonical(envelope: JsonObject, exactDigest: Digest): Digest | undefined {
  if (envelope["canonical"] !== undefined) return parseDigest(envelope["canonical"]);
  return envelope["base"] === undefined ? exactDigest : undefined;
}

/** @throws CHECKPOINT_CORRUPT when it is no id. */
export function baseOf(envelope: JsonObject): CheckpointId | undefined {
  if (envelope["base"] === undefined) return undefined;
  try {
    return parseCheckpointId(envelope["base"], "base");
  } catch (cause) {
    throw corrupt("has a base that is no id", cause);
  }
}

function given(field: string, value: JsonValue | undefined): JsonObject {
  return value === undefined ? {} : { [field]: value };
}

function unless(isUsual: boolean, field: JsonObject): JsonObject {
  return isUsual ? {} : field;
}

function parent(value: JsonValue | undefined): CheckpointId | null {
  return value === undefined ? null : parseCheckpointId(value, "parent");
}

function kind(value: JsonValue | undefined): CheckpointKind {
  if (value === undefined) return "workflow";
  const known = CHECKPOINT_KINDS.find((each) => each === value);
  if (known === undefined) throw tooNew(`kind ${JSON.stringify(value)}`);
  return known;
}

function time(value: string): Date {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) throw corrupt("has no creation time");
  return date;
}

function count(value: JsonValue | undefined): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw corrupt("does not say its length");
  return value;
}

function text(envelope: JsonObject, field: string): string {
  const value = envelope[field];
  if (typeof value !== "string") throw corrupt(`has no ${field}`);
  return value;
}

function optionalText(envelope: JsonObject, field: string): string | undefined {
  return envelope[field] === undefined ? undefined : text(envelope, field);
}

function tags(value: JsonValue | undefined): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every((tag) => typeof tag === "string")) throw corrupt("has tags that are not texts");
  return value;
}

function attributes(value: JsonValue | undefined): JsonObject {
  if (value === undefined) return {};
  if (!isJsonObject(value)) throw corrupt("has attributes that are not an object");
  return value;
}

/** Layers that this version does not know are passed over. */
function layers(value: JsonValue | undefined): LayerSummary | undefined {
  if (!isJsonObject(value)) return undefined;
  const counts = LAYERS.map((layer) => [layer, value[layer]] as const);
  return Object.fromEntries(counts.filter(([, each]) => typeof each === "number"));
}

export function corrupt(what: string, cause?: unknown): WorkrailError {
  return new WorkrailError("CHECKPOINT_CORRUPT", `The stored checkpoint ${what}.`, { cause });
}

export function tooNew(what: string): WorkrailError {
  return new WorkrailError("UNSUPPORTED_VERSION", `The checkpoint was written by a newer Workrail (${what}).`, {
    hint: "Update Workrail to read it.",
  });
}
