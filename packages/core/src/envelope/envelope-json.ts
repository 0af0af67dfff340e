import { WorkrailError } from "../errors.ts";
import { CHECKPOINT_KINDS, type CheckpointFacts, type CheckpointKind } from "../model/checkpoint.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/context.ts";
import { type CheckpointId, type Digest, parseCheckpointId, parseDigest, parseSessionId } from "../model/ids.ts";
import { LAYERS, type LayerSummary } from "../model/classification.ts";
import { sameJson } from "../delta/same-json.ts";

/** Facts in an envelope. A delta omits the canonical digest; it is computed from the resulting context. */
export type EnvelopeFacts = Omit<CheckpointFacts, "canonicalDigest"> & { readonly canonicalDigest: Digest | undefined };

/** Facts that are never inherited from a base. */
type OwnFact = "id" | "parentId" | "exactDigest" | "canonicalDigest" | "contextBytes";

/** Facts in the file of a delta. `completeFacts` takes the omitted ones from the base. */
export interface DeltaFacts extends Pick<EnvelopeFacts, OwnFact> {
  /** Fields that differ from the base. A present `undefined` means that the base has a value and this checkpoint has none. */
  readonly other: Partial<Omit<EnvelopeFacts, OwnFact>>;
  /** Milliseconds from this checkpoint's creation to its base's; unused when `other` has the creation time. */
  readonly earlierMs: number;
}

/** Completes the facts of a delta with those of its base. */
export function completeFacts({ other, earlierMs, ...own }: DeltaFacts, base: EnvelopeFacts): EnvelopeFacts {
  const createdAt = new Date(base.createdAt.getTime() - earlierMs);
  if (Number.isNaN(createdAt.getTime())) throw corrupt("has no creation time");
  return { ...base, createdAt, ...own, ...other };
}

/** Fields of an envelope. Those that are `undefined` are not written. */
export interface EnvelopeFields {
  readonly [field: string]: JsonValue | undefined;
}

/** Converts the facts of a whole checkpoint to JSON, omitting default values. */
export function toJson(facts: CheckpointFacts): EnvelopeFields {
  return {
    id: facts.id,
    session: facts.sessionId,
    parent: facts.parentId ?? undefined,
    kind: facts.kind === "workflow" ? undefined : facts.kind,
    created: facts.createdAt.toISOString(),
    agent: facts.agentId,
    workflow: facts.workflowId,
    project: facts.project,
    name: facts.name,
    tags: facts.tags.length === 0 ? undefined : facts.tags,
    attributes: Object.keys(facts.attributes).length === 0 ? undefined : facts.attributes,
    bytes: facts.contextBytes,
    sha256: facts.exactDigest,
    canonical: facts.canonicalDigest === facts.exactDigest ? undefined : facts.canonicalDigest,
    layers: facts.layers && { ...facts.layers },
    writer: facts.writer,
  };
}

/**
 * Converts the facts of a delta to JSON. Omits facts equal to those of the base, which belongs to the same session; `null` means
 * that only the base has a value. The result is little more than ids and a digest; with all facts it would be half as large
 * again.
 */
export function toDeltaJson(facts: CheckpointFacts, base: EnvelopeFacts): EnvelopeFields {
  const [own, bases] = [inheritable(facts), inheritable(base)];
  const others = Object.keys(own).filter((field) => !sameJson(own[field] ?? null, bases[field] ?? null));
  return {
    id: facts.id,
    parent: facts.parentId ?? undefined,
    base: base.id,
    earlier: base.createdAt.getTime() - facts.createdAt.getTime(),
    bytes: facts.contextBytes,
    sha256: facts.exactDigest,
    ...Object.fromEntries(others.map((field) => [field, own[field] ?? null])),
  };
}

/** Returns the inheritable facts. `null` stands for a missing one. */
function inheritable(facts: EnvelopeFacts): JsonObject {
  return {
    kind: facts.kind,
    agent: facts.agentId ?? null,
    workflow: facts.workflowId ?? null,
    project: facts.project ?? null,
    name: facts.name ?? null,
    tags: facts.tags,
    attributes: facts.attributes,
    layers: facts.layers === undefined ? null : { ...facts.layers },
    writer: facts.writer,
  };
}

/**
 * Parses the facts of an envelope by one of the functions below.
 *
 * @throws CHECKPOINT_CORRUPT when a field is invalid; UNSUPPORTED_VERSION for a kind that a newer version added.
 */
export function parseFacts<T>(envelope: JsonObject, read: (envelope: JsonObject) => T): T {
  try {
    return read(envelope);
  } catch (cause) {
    if (cause instanceof WorkrailError && cause.code !== "INVALID_INPUT") throw cause;
    throw corrupt("has an envelope with an invalid field", cause);
  }
}

/** Parses the facts of a whole checkpoint. `parseFacts` maps its errors. */
export function fromJson(envelope: EnvelopeFields): EnvelopeFacts {
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
}

/** Parses the facts of a delta in the first format, which contains all of them. */
export function fromWholeJson(envelope: JsonObject): DeltaFacts {
  const { id, parentId, exactDigest, canonicalDigest, contextBytes, ...other } = fromJson(envelope);
  return { id, parentId, exactDigest, canonicalDigest, contextBytes, other, earlierMs: 0 };
}

/** Parses the output of `toDeltaJson`. */
export function fromDeltaJson(envelope: JsonObject): DeltaFacts {
  return {
    id: parseCheckpointId(envelope["id"]),
    parentId: parent(envelope["parent"]),
    exactDigest: parseDigest(envelope["sha256"]),
    canonicalDigest: undefined,
    contextBytes: count(envelope["bytes"]),
    other: otherFacts(envelope),
    earlierMs: integer(envelope["earlier"]),
  };
}

function otherFacts(envelope: JsonObject): DeltaFacts["other"] {
  const says = <T>(field: string, fact: T): T | undefined => (envelope[field] === undefined ? undefined : fact);
  const said = Object.fromEntries(Object.entries(envelope).filter(([, value]) => value !== null));
  return {
    ...says("kind", { kind: kind(envelope["kind"]) }),
    ...says("agent", { agentId: optionalText(said, "agent") }),
    ...says("workflow", { workflowId: optionalText(said, "workflow") }),
    ...says("project", { project: optionalText(said, "project") }),
    ...says("name", { name: optionalText(said, "name") }),
    ...says("tags", { tags: tags(envelope["tags"]) }),
    ...says("attributes", { attributes: attributes(envelope["attributes"]) }),
    ...says("layers", { layers: layers(envelope["layers"]) }),
    ...says("writer", { writer: optionalText(envelope, "writer") as string }),
  };
}

/** A whole checkpoint omits the canonical digest when it equals the exact one. */
function canonical(envelope: EnvelopeFields, exactDigest: Digest): Digest | undefined {
  if (envelope["canonical"] !== undefined) return parseDigest(envelope["canonical"]);
  return envelope["base"] === undefined ? exactDigest : undefined;
}

/**
 * Returns the base of a delta; `undefined` for a whole checkpoint.
 *
 * @throws CHECKPOINT_CORRUPT when the base is not an id.
 */
export function baseOf(envelope: JsonObject): CheckpointId | undefined {
  if (envelope["base"] === undefined) return undefined;
  try {
    return parseCheckpointId(envelope["base"], "base");
  } catch (cause) {
    throw corrupt("has a base that is not an id", cause);
  }
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
  const length = integer(value);
  if (length < 0) throw corrupt("has a negative length");
  return length;
}

function integer(value: JsonValue | undefined): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw corrupt("lacks a number");
  return value;
}

function text(envelope: EnvelopeFields, field: string): string {
  const value = optionalText(envelope, field);
  if (value === undefined) throw corrupt(`has no ${field}`);
  return value;
}

function optionalText(envelope: EnvelopeFields, field: string): string | undefined {
  const value = envelope[field];
  if (value !== undefined && typeof value !== "string") throw corrupt(`has no ${field}`);
  return value;
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

/** Ignores layers that this version does not know. */
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
