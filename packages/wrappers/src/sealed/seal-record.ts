import {
  GIT_STATE,
  KEEP_TAG,
  WorkrailError,
  isJsonObject,
  parseJson,
  type AuditEvent,
  type CheckpointRecord,
  type JsonObject,
  type NewRecord,
  type Sealer,
  type Session,
  type SessionFacts,
} from "@workrail/core";
export type TextSealer = Pick<Sealer, "sealText" | "openText" | "sealDigest">;
export type TextOpener = Pick<Sealer, "openText">;

/** Attribute kept separately, sealed, so that the catalog can filter by phase. So is the repository. */
const PHASE = "phase";
/** Attribute with the sealed rest: the attributes themselves, and the digests, of which the catalog only has keyed versions. */
const SEALED = "sealed";

/**
 * Seals a record for the catalog: all text of people and agents, and the digests, which could confirm a guess of a context. Ids,
 * times, sizes, counts and the tag `keep` stay readable. Sealing is deterministic, so that the catalog can compare values.
 */
export function sealRecord<R extends NewRecord>(sealer: TextSealer, record: R): R {
  const { agentId, workflowId, project, name, tags, attributes, exactDigest, canonicalDigest } = record;
  return {
    ...record,
    agentId: seal(sealer, agentId),
    workflowId: seal(sealer, workflowId),
    project: seal(sealer, project),
    name: seal(sealer, name),
    tags: sealTags(sealer, tags),
    attributes: sealInner(sealer, { attributes, exactDigest, canonicalDigest }),
    exactDigest: sealer.sealDigest(exactDigest),
    canonicalDigest: sealer.sealDigest(canonicalDigest),
  };
}

/**
 * Opens a sealed record.
 *
 * @throws CHECKPOINT_CORRUPT when the record was not sealed, or was changed; KEY_UNAVAILABLE.
 */
export function openRecord<R extends CheckpointRecord | NewRecord>(sealer: TextOpener, record: R): R {
  const { agentId, workflowId, project, name, tags, attributes } = record;
  return {
    ...record,
    ...openInner(sealer, attributes),
    agentId: open(sealer, agentId),
    workflowId: open(sealer, workflowId),
    project: open(sealer, project),
    name: open(sealer, name),
    tags: openTags(sealer, tags),
  };
}

/** Seals the tags and pins of a session, or of its facts. */
export function sealLabels<L extends Pick<Session | SessionFacts, "tags" | "pins">>(sealer: TextSealer, labelled: L): L {
  return { ...labelled, tags: sealTags(sealer, labelled.tags), pins: labelled.pins.map((pin) => sealer.sealText(pin)) };
}

/**
 * Opens sealed tags and pins.
 *
 * @throws as `openRecord`.
 */
export function openLabels<L extends Pick<Session | SessionFacts, "tags" | "pins">>(sealer: TextOpener, labelled: L): L {
  return { ...labelled, tags: openTags(sealer, labelled.tags), pins: labelled.pins.map((pin) => sealer.openText(pin)) };
}

export function sealEvent(sealer: TextSealer, event: AuditEvent): AuditEvent {
  return { ...event, agentId: seal(sealer, event.agentId), ...subjectOf(seal(sealer, event.subject)) };
}

/**
 * Opens a sealed audit event.
 *
 * @throws as `openRecord`.
 */
export function openEvent<E extends AuditEvent>(sealer: TextOpener, event: E): E {
  return { ...event, agentId: open(sealer, event.agentId), ...subjectOf(open(sealer, event.subject)) };
}

function subjectOf(subject: string | undefined): Pick<AuditEvent, "subject"> {
  return subject === undefined ? {} : { subject };
}

export function sealTags(sealer: TextSealer, tags: readonly string[]): readonly string[] {
  return tags.map((tag) => (tag === KEEP_TAG ? tag : sealer.sealText(tag)));
}

function seal(sealer: TextSealer, text: string | undefined): string | undefined {
  return text === undefined ? undefined : sealer.sealText(text);
}

function open(sealer: TextOpener, sealed: string | undefined): string | undefined {
  return sealed === undefined ? undefined : sealer.openText(sealed);
}

function openTags(sealer: TextOpener, tags: readonly string[]): readonly string[] {
  return tags.map((tag) => (tag === KEEP_TAG ? tag : sealer.openText(tag)));
}

/** Returns the sealed part of a record; `undefined` for an unencrypted record. */
export function sealedPartOf({ attributes }: Pick<NewRecord, "attributes">): string | undefined {
  const sealed = attributes[SEALED];
  return typeof sealed === "string" ? sealed : undefined;
}

type Inner = Pick<NewRecord, "attributes" | "exactDigest" | "canonicalDigest">;

function sealInner(sealer: TextSealer, inner: Inner): JsonObject {
  const phase = inner.attributes[PHASE];
  const kept = inner.attributes[GIT_STATE];
  const repository = isJsonObject(kept) ? kept["commonDir"] : undefined;
  return {
    [SEALED]: sealer.sealText(JSON.stringify(inner)),
    ...(typeof phase === "string" ? { [PHASE]: sealer.sealText(phase) } : {}),
    ...(typeof repository === "string" ? { [GIT_STATE]: { commonDir: sealer.sealText(repository) } } : {}),
  };
}

function openInner(sealer: TextOpener, kept: JsonObject): Inner {
  const sealed = kept[SEALED];
  const inner = typeof sealed === "string" ? parseJson(sealer.openText(sealed)) : undefined;
  // The sealer only opens texts that `sealInner` sealed.
  if (isJsonObject(inner)) return inner as unknown as Inner;
  throw new WorkrailError("CHECKPOINT_CORRUPT", "The catalog contains an unsealed record.", { hint: "Run `workrail rebuild`." });
}
