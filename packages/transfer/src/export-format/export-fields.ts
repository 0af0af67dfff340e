import {
  checkAttributes,
  checkName,
  checkOf,
  CHECKPOINT_KINDS,
  type CheckpointFacts,
  type CheckpointId,
  type CheckpointKind,
  checkTags,
  type Context,
  type Digester,
  exceedPinLimits,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  LABEL_LIMITS,
  LAYERS,
  type LayerSummary,
  parseCheckpointId,
  parseDigest,
  parseSessionId,
  type Session,
  WorkrailError,
} from "@workrail/core";

export type ExportedSession = Pick<Session, "id" | "createdAt" | "tags" | "pins">;

/** Checkpoint of an export, without the facts that can be computed from the context. */
export interface ExportedCheckpoint {
  readonly facts: Omit<CheckpointFacts, "sessionId" | "canonicalDigest" | "contextBytes">;
  readonly context: Context;
}

/** Checkpoint of the session that could not be read during the export. */
export interface UnreadableInExport {
  readonly checkpointId: CheckpointId;
  /** Error code of its load. */
  readonly code: string;
}

const UNREADABLE_FIELDS = ["id", "code"];
const SESSION_FIELDS = ["id", "createdAt", "tags", "pins", "check"];
const CHECKPOINT_FIELDS = [
  "id",
  "parentId",
  "kind",
  "createdAt",
  "agentId",
  "workflowId",
  "project",
  "name",
  "tags",
  "attributes",
  "layers",
  "writer",
  "sha256",
  "check",
  "context",
];
/** Hexadecimal digits of the check. */
const CHECK_LENGTH = 16;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Appends a digest of the fields to the fields of an exported session or checkpoint. */
export function withCheck(facts: JsonObject, digests: Digester): JsonObject {
  return { ...facts, check: checkOfFacts(facts, digests) };
}

/**
 * Parses the session of an export.
 *
 * @throws INVALID_INPUT when a field is missing, unknown or invalid, or the check does not match.
 */
export function parseSession(value: JsonValue, digests: Digester): ExportedSession {
  const fields = fieldsOf(value, SESSION_FIELDS);
  const pins = texts(fields, "pins");
  if (exceedPinLimits(pins)) throw invalid("pins", "are more than a session can have");
  const tags = texts(fields, "tags");
  checkTags(tags);
  const session = { id: parseSessionId(fields["id"], "id"), createdAt: time(fields), tags, pins };
  expectWritten(fields, digests);
  return session;
}

/**
 * Parses a checkpoint of an export.
 *
 * @throws INVALID_INPUT when a field is missing, unknown or invalid, or the check does not match.
 */
export function parseCheckpoint(value: JsonValue, digests: Digester): ExportedCheckpoint {
  const fields = fieldsOf(value, CHECKPOINT_FIELDS);
  const { parentId, attributes, context } = fields;
  if (!isJsonObject(attributes)) throw invalid("attributes", "must be an object");
  if (!isJsonObject(context)) throw invalid("context", "must be an object");
  const tags = texts(fields, "tags");
  checkTags(tags);
  checkAttributes(attributes, "attributes");
  const checkpoint: ExportedCheckpoint = {
    facts: {
      id: parseCheckpointId(fields["id"], "id"),
      parentId: parentId === null ? null : parseCheckpointId(parentId, "parentId"),
      kind: kind(fields["kind"]),
      createdAt: time(fields),
      agentId: name(fields, "agentId"),
      workflowId: name(fields, "workflowId"),
      project: project(fields["project"]),
      name: name(fields, "name"),
      tags,
      attributes,
      exactDigest: parseDigest(fields["sha256"], "sha256"),
      layers: layers(fields["layers"]),
      writer: name(fields, "writer") ?? missing("writer"),
    },
    context,
  };
  expectWritten(fields, digests);
  return checkpoint;
}

/**
 * Parses the list of unreadable checkpoints.
 *
 * @throws INVALID_INPUT when a field is missing, unknown or invalid.
 */
export function parseUnreadable(value: JsonValue): readonly UnreadableInExport[] {
  if (!Array.isArray(value)) throw new WorkrailError("INVALID_INPUT", "They must be a list.");
  return value.map((each) => {
    const fields = fieldsOf(each, UNREADABLE_FIELDS);
    const { code } = fields;
    if (typeof code !== "string" || !/^[A-Z_]{1,60}$/.test(code)) throw invalid("code", "must be an error code");
    return { checkpointId: parseCheckpointId(fields["id"], "id"), code };
  });
}

/**
 * Verifies the check, which excludes the context: that has its own digest. An export that was written or changed by hand may omit
 * the check.
 */
function expectWritten({ check, context: _context, ...facts }: JsonObject, digests: Digester): void {
  if (check === undefined || check === checkOfFacts(facts, digests)) return;
  throw new WorkrailError("INVALID_INPUT", "Its check does not match: it was changed after the export.", {
    details: { field: "check" },
    hint: "Nothing was imported. Export it again or, if you changed it on purpose, remove its check.",
  });
}

function checkOfFacts(facts: JsonObject, digests: Digester): string {
  return checkOf(JSON.stringify(facts), digests, CHECK_LENGTH);
}

/** Refuses unknown fields, because they would be lost. */
function fieldsOf(value: JsonValue, known: readonly string[]): JsonObject {
  if (!isJsonObject(value)) throw new WorkrailError("INVALID_INPUT", "It must be an object.");
  const unknown = Object.keys(value).find((field) => !known.includes(field));
  if (unknown !== undefined) throw invalid(unknown.slice(0, 60), "is no field of this version");
  return value;
}

/** Accepts only the form of `toISOString`, so that it is written back identically. */
function time({ createdAt }: JsonObject): Date {
  const date = new Date(typeof createdAt === "string" ? createdAt : Number.NaN);
  if (!Number.isNaN(date.getTime()) && date.toISOString() === createdAt) return date;
  throw invalid("createdAt", "must be a time such as 2026-01-31T12:00:00.000Z");
}

function kind(value: JsonValue | undefined): CheckpointKind {
  return CHECKPOINT_KINDS.find((each) => each === value) ?? missing("kind");
}

function name(fields: JsonObject, field: string): string | undefined {
  const value = fields[field] as string | undefined;
  checkName(value, field);
  return value;
}

function project(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && value.length <= LABEL_LIMITS.pathLength && !LONE_SURROGATE.test(value)) return value;
  throw invalid("project", "must be a path");
}

function texts(fields: JsonObject, field: string): readonly string[] {
  const value = fields[field];
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw invalid(field, "must be a list of texts");
}

function layers(value: JsonValue | undefined): LayerSummary | undefined {
  if (value === undefined) return undefined;
  const isCount = (count: unknown): boolean => typeof count === "number" && Number.isSafeInteger(count) && count >= 0;
  if (isJsonObject(value) && Object.entries(value).every(([layer, count]) => isLayer(layer) && isCount(count))) return value;
  throw invalid("layers", "must be how many entries are in each layer");
}

function isLayer(name: string): boolean {
  return LAYERS.some((layer) => layer === name);
}

function missing(field: string): never {
  throw invalid(field, "is missing or makes no sense");
}

function invalid(field: string, rule: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `${field} ${rule}.`, { details: { field } });
}
