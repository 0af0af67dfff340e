import {
  type AttributeFilter,
  checkAttributeFilter,
  checkAttributes,
  type CheckpointRecord,
  checkTags,
  GIT_STATE,
  SESSION_NAME,
  SESSION_PROJECT,
  type GitState,
  gitStateOf,
  invalidInput,
  isJsonObject,
  type JsonObject,
  KEEP_TAG,
  type Session,
} from "@workrail/core";
import type { CheckpointLabels, CheckpointMetadata, SessionMetadata } from "./context-management-service.ts";
import { isFieldName, OWN_FIELDS } from "./flat-metadata.ts";

export interface SplitLabels {
  readonly name: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly agentId: string | undefined;
  /** The caller's own keys, unchanged. */
  readonly attributes: JsonObject;
  readonly ignored: string[];
}

/**
 * Checks labels, and copies them, because the caller may change its object before the save. Metadata of a load may be passed back unchanged.
 *
 * @throws INVALID_INPUT when the metadata is not an object, has an unknown field, or cannot be saved.
 */
export function splitLabels(labels: CheckpointLabels = {}): SplitLabels {
  const {
    name,
    tags,
    agentId,
    attributes: own = {},
    ...rest
  }: CheckpointLabels & { readonly agentId?: unknown } = objectIn(labels, "metadata");
  // A key with the value `undefined` counts as absent, as programs often write it.
  const others = Object.entries(rest).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  const unknown = others.find((key) => !OWN_FIELDS.includes(key));
  if (unknown !== undefined) {
    throw invalidInput("metadata", `metadata.${unknown} is not a field of metadata.`, "Put keys of your own into metadata.attributes.");
  }
  const entries = Object.entries(objectIn(own, "metadata.attributes")).filter(([, value]) => value !== undefined);
  const taken = entries.find(([key]) => isFieldName(key));
  if (taken !== undefined) {
    throw invalidInput("metadata", `metadata.attributes.${taken[0]} has the name of a field of metadata.`, "Give the key another name.");
  }
  const attributes = Object.fromEntries<unknown>(entries) as JsonObject;
  checkAttributes(attributes);
  if (tags !== undefined) checkTags(tags);
  const isAgent = agentId === undefined || typeof agentId === "string";
  return {
    name,
    tags: tags === undefined ? undefined : [...tags],
    agentId: isAgent ? agentId : undefined,
    attributes: structuredClone(attributes),
    ignored: [...others, ...(isAgent ? [] : ["agentId"])],
  };
}

function objectIn<T extends object>(value: T, field: string): T {
  if (isJsonObject(value)) return value;
  throw invalidInput("metadata", `${field} must be an object.`);
}

/**
 * Checks a filter of attributes. Fields that the product sets are none: a listing has parameters of its own for those that may be asked for.
 *
 * @throws INVALID_INPUT
 */
export function checkFilter(attributes: AttributeFilter): void {
  checkAttributeFilter(attributes);
  const own = Object.keys(attributes).find((name) => OWN_FIELDS.includes(name));
  if (own !== undefined) throw invalidInput("attributes", `attributes.${own} is set by Workrail.`, "Name keys of metadata.attributes.");
}

export function metadataOf(record: CheckpointRecord, pins: readonly string[] = []): CheckpointMetadata {
  const stood = gitStateOf(record);
  const { [GIT_STATE]: _stood, [SESSION_PROJECT]: sessionProject, [SESSION_NAME]: sessionName, phase, ...attributes } = record.attributes;
  return {
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
    ...(typeof phase === "string" ? { phase } : {}),
    ...(stood === undefined ? {} : { [GIT_STATE]: shortStateOf(stood) }),
    ...(typeof sessionProject === "string" ? { sessionProject } : {}),
    ...(typeof sessionName === "string" ? { sessionName } : {}),
    ...(pins.length === 0 ? {} : { criticalKeys: [...pins] }),
    ...(record.damaged ? { damaged: true as const } : {}),
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
  };
}

/** Returns a checkpoint's metadata for a reader who knows its id, session and time, and pays by token. */
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

/** Characters of a commit id, as git abbreviates it in a large repository. */
const COMMIT_LENGTH = 12;

/** Returns the git state for people: the other fields are for programs, and would cost tokens in every answer. */
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
