import {
  checkAttributes,
  type CheckpointRecord,
  checkTags,
  GIT_STATE,
  SESSION_NAME,
  SESSION_PROJECT,
  type GitState,
  gitStateOf,
  isJsonObject,
  type JsonObject,
  KEEP_TAG,
  type Session,
  WorkrailError,
} from "@workrail/core";
import type { CheckpointLabels, CheckpointMetadata, SessionMetadata } from "./context-management-service.ts";

/** The product's own fields of a checkpoint's metadata: a caller cannot set them through `metadata`. */
const OWN_FIELDS = [
  "id",
  "sessionId",
  "workflowId",
  "project",
  "createdAt",
  "lastAccessedAt",
  "contextSizeBytes",
  "contextHash",
  "blobPath",
  "parentId",
  "kind",
  "sequence",
  "layers",
  "phase",
  GIT_STATE,
  SESSION_NAME,
  SESSION_PROJECT,
  "criticalKeys",
  "damaged",
];

export interface SplitLabels {
  readonly name: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly agentId: string | undefined;
  /** Whatever is not ours, kept as it came. */
  readonly attributes: JsonObject;
  readonly ignored: string[];
}

/**
 * Tells the caller's own keys from ours, and copies them: the caller may change what was given before it is saved. Metadata that
 * came from a load may be sent back as it is.
 *
 * @throws INVALID_INPUT when it is not an object, or one that cannot be saved.
 */
export function splitLabels(labels: CheckpointLabels = {}): SplitLabels {
  const given: unknown = labels;
  if (!isJsonObject(given)) throw new WorkrailError("INVALID_INPUT", "metadata must be an object.", { details: { field: "metadata" } });
  const { name, tags, agentId, ...rest } = labels;
  // A key without a value is as good as none: so do programs leave things out.
  const entries = Object.entries(rest).filter(([, value]) => value !== undefined);
  const attributes = Object.fromEntries<unknown>(entries.filter(([key]) => !OWN_FIELDS.includes(key))) as JsonObject;
  checkAttributes(attributes);
  if (tags !== undefined) checkTags(tags);
  const isAgent = agentId === undefined || typeof agentId === "string";
  return {
    name,
    tags: tags === undefined ? undefined : [...tags],
    agentId: isAgent ? agentId : undefined,
    attributes: structuredClone(attributes),
    ignored: [...entries.map(([key]) => key).filter((key) => OWN_FIELDS.includes(key)), ...(isAgent ? [] : ["agentId"])],
  };
}

/** The same labels, copied. @throws as `splitLabels` */
export function ownLabels(labels: CheckpointLabels | undefined): CheckpointLabels | undefined {
  if (labels === undefined) return undefined;
  const { tags, attributes } = splitLabels(labels);
  return { ...labels, ...attributes, ...(tags === undefined ? {} : { tags }) };
}

export function metadataOf(record: CheckpointRecord, pins: readonly string[] = []): CheckpointMetadata {
  const stood = gitStateOf(record);
  return {
    ...withoutOurs(record.attributes),
    ...(stood === undefined ? {} : { [GIT_STATE]: shortStateOf(stood) }),
    id: record.id,
    sessionId: record.sessionId,
    ...(record.name === undefined ? {} : { name: record.name }),
    ...(record.agentId === undefined ? {} : { agentId: record.agentId }),
    ...(record.workflowId === undefined ? {} : { workflowId: record.workflowId }),
    ...(record.project === undefined ? {} : { project: record.project }),
    createdAt: record.createdAt.toISOString(),
    lastAccessedAt: record.lastAccessedAt.toISOString(),
    ...(record.tags.length === 0 ? {} : { tags: [...record.tags] }),
    contextSizeBytes: record.blobBytes,
    contextHash: record.canonicalDigest,
    blobPath: record.blob,
    parentId: record.parentId,
    kind: record.kind,
    sequence: record.sequence,
    ...(record.layers === undefined ? {} : { layers: record.layers }),
    ...(pins.length === 0 ? {} : { criticalKeys: [...pins] }),
    ...(record.damaged ? { damaged: true as const } : {}),
  };
}

/** Answers tell of what was dropped beside the metadata. A session that was begun in no project has none to name. */
function withoutOurs({ [SESSION_PROJECT]: owner, ...others }: JsonObject): JsonObject {
  return owner === undefined || owner === null ? others : { ...others, [SESSION_PROJECT]: owner };
}

/** What describes a checkpoint, for a reader who knows its id, its session and when it was saved, and pays by token. */
export function briefMetadataOf(metadata: CheckpointMetadata, ownProject: string | undefined): Partial<CheckpointMetadata> {
  const {
    id,
    sessionId,
    createdAt,
    lastAccessedAt,
    contextSizeBytes,
    contextHash,
    blobPath,
    parentId,
    sequence,
    layers,
    sessionName,
    ...rest
  } = metadata;
  void [id, sessionId, sessionName, createdAt, lastAccessedAt, contextSizeBytes, contextHash, blobPath, parentId, sequence, layers];
  const { kind, project, ...brief } = rest;
  return {
    ...brief,
    ...(project === undefined || project === ownProject ? {} : { project }),
    ...(kind === "workflow" ? {} : { kind }),
  };
}

/** As much of a commit as git itself shows of a long one. */
const COMMIT_LENGTH = 12;

/** What tells a reader where work stood; what else is kept of it is for programs, and would cost tokens in every answer. */
function shortStateOf({ branch, commit }: GitState): { branch?: string; commit?: string } {
  return { ...(branch === undefined ? {} : { branch }), ...(commit === undefined ? {} : { commit: commit.slice(0, COMMIT_LENGTH) }) };
}

export function sessionMetadataOf(session: Session): SessionMetadata {
  return {
    id: session.id,
    createdAt: session.createdAt.toISOString(),
    lastAccessedAt: session.lastAccessedAt.toISOString(),
    ...(session.tags.length === 0 ? {} : { tags: [...session.tags] }),
    totalSizeBytes: session.totalSizeBytes,
    checkpointCount: session.checkpointCount,
    ...(session.tags.includes(KEEP_TAG) ? { retention: "all" as const } : {}),
    ...(session.damagedCount === 0 ? {} : { damagedCount: session.damagedCount }),
    ...(session.pins.length === 0 ? {} : { criticalKeys: [...session.pins] }),
  };
}
