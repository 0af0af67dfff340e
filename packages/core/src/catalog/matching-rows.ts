import { isShielded } from "./asides.ts";
import { CHECKPOINT_KINDS, type CheckpointRecord, type NewRecord } from "../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { CheckpointFilter } from "./queries/query-checkpoints.ts";
import type { AuditQuery, SelectErasures, SelectRemovals, Where } from "./reads.ts";
import type { CheckpointRow, ErasureRow, RemovalRow } from "./rows.ts";
import { isJsonObject } from "../model/context.ts";
import { hasAttributes } from "../model/attribute-filter.ts";
import { GIT_STATE, searchableAttributes } from "../model/product-attributes.ts";
import type { LoggedEvent } from "../model/audit.ts";

/** Data of other rows that a condition may need. */
export interface Others {
  readonly tagsOf: (sessionId: SessionId) => readonly string[];
  readonly headOf: (sessionId: SessionId) => CheckpointId | undefined;
}

/** Makes the test if a row meets every condition. */
export function matcherOf(where: Where, { tagsOf, headOf }: Others): (row: CheckpointRow) => boolean {
  const { state, ids, notId, blobs, notKinds, damaged, withoutTag, unshieldedAt, headsOnly, ownTags } = where;
  const idSet = ids === undefined ? undefined : new Set(ids);
  const blobSet = blobs === undefined ? undefined : new Set(blobs);
  const filter = filterOf(where);
  return ({ record, trashedAt }) =>
    (state === "any" || (trashedAt === undefined) === (state === "live")) &&
    idSet?.has(record.id) !== false &&
    record.id !== notId &&
    blobSet?.has(record.blob) !== false &&
    notKinds?.includes(record.kind) !== true &&
    (damaged === undefined || record.damaged === damaged) &&
    (ownTags === undefined || record.tags.some((tag) => ownTags.includes(tag))) &&
    (withoutTag === undefined || !record.tags.includes(withoutTag)) &&
    (unshieldedAt === undefined || !isShielded(record, unshieldedAt)) &&
    (where.isShielded === undefined || record.shieldedUntil !== undefined) &&
    matchesFilter(record, filter.tags === undefined ? [] : tagsOf(record.sessionId), filter) &&
    (headsOnly !== true || headOf(record.sessionId) === record.id);
}

/** The conditions that a filter of a listing has as well. */
function filterOf({ kinds = CHECKPOINT_KINDS, words, ...where }: Where): CheckpointFilter {
  return { ...where, kinds, query: words?.join(" ") };
}

/** True when a record meets every condition of a filter. */
export function matchesFilter(record: CheckpointRecord, sessionTags: readonly string[], filter: CheckpointFilter): boolean {
  return (
    matchesKind(record, filter) &&
    isSame(record.sessionId, filter.sessionId) &&
    record.id.startsWith(filter.idPrefix ?? "") &&
    isOfProject(record, filter) &&
    (filter.notProject === undefined || record.project !== filter.notProject) &&
    isSame(record.workflowId, filter.workflowId) &&
    isSame(record.agentId, filter.agentId) &&
    hasAttributes(record.attributes, filter.attributes ?? {}) &&
    (filter.phase === undefined || record.attributes["phase"] === filter.phase) &&
    (filter.since === undefined || record.createdAt >= filter.since) &&
    (filter.until === undefined || record.createdAt <= filter.until) &&
    (filter.tags ?? []).every((tag) => record.tags.includes(tag) || sessionTags.includes(tag)) &&
    (filter.name === undefined || (record.name !== undefined && holds(record.name, filter.name))) &&
    matchesQuery(record, filter.query)
  );
}

function matchesKind(record: CheckpointRecord, { kinds }: CheckpointFilter): boolean {
  return kinds === undefined ? record.kind !== "aside" : kinds.includes(record.kind);
}

function isOfProject(record: CheckpointRecord, { project, repository }: CheckpointFilter): boolean {
  if (project === undefined && repository === undefined) return true;
  const isThere = project !== undefined && record.project === project;
  const kept = record.attributes[GIT_STATE];
  return isThere || (repository !== undefined && isJsonObject(kept) && kept["commonDir"] === repository);
}

function isSame(value: string | undefined, wanted: string | undefined): boolean {
  return wanted === undefined || value === wanted;
}

function matchesQuery(record: CheckpointRecord, query = ""): boolean {
  const words = query.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return true;
  const labels = foldedLabels(record);
  return words.every((word) => foldedForms(word).some((form) => labels.includes(form)));
}

function holds(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

/**
 * Returns the texts of a checkpoint that `Where.words` are looked for in, in lower case. Joined with line breaks, so that a word never
 * matches across two of them.
 */
export function foldedLabels({ name, tags, workflowId, agentId, attributes }: NewRecord): string {
  const told = searchableAttributes(attributes);
  const text = Object.keys(told).length === 0 ? "" : JSON.stringify(told);
  return [name, ...tags, workflowId, agentId, text].join("\n").toLowerCase();
}

/** Returns the forms of a word to look for in `foldedLabels`: as it is, and as in JSON, since attributes are searched as JSON. */
export function foldedForms(word: string): readonly string[] {
  return [...new Set([word, JSON.stringify(word).slice(1, -1)])].map((form) => form.toLowerCase());
}

/** True when a removal meets the conditions that its row alone can tell. */
export function isRemovalWanted(row: RemovalRow, { blobs, sessionId, isDone }: SelectRemovals): boolean {
  return (
    (blobs === undefined || blobs.includes(row.blob)) &&
    (sessionId === undefined || row.sessionId === sessionId) &&
    (isDone === undefined || !row.isDone)
  );
}

/** True when an erasure meets the conditions. */
export function isErasureWanted(row: ErasureRow, { blobs, sessionId, checkpointId }: SelectErasures): boolean {
  return (
    (blobs === undefined || blobs.includes(row.blob)) &&
    (sessionId === undefined || row.sessionId === sessionId) &&
    (checkpointId === undefined || row.checkpointId === checkpointId)
  );
}

/** Selects rows of an audit log in memory. `all`: the log, oldest first, without a gap in its numbers. */
export function queryAudit(
  all: readonly LoggedEvent[],
  { limit = Number.POSITIVE_INFINITY, first = "newest", after, checkpointIds, ...others }: AuditQuery,
): readonly LoggedEvent[] {
  const wanted = { ...others, ids: checkpointIds && new Set(checkpointIds) };
  const found: LoggedEvent[] = [];
  const step = first === "oldest" ? 1 : -1;
  const indexOf = (number: number): number => number - (all[0]?.number ?? 1);
  let index = step === 1 ? 0 : all.length - 1;
  // The row of the position may be removed, or not exist yet.
  if (after !== undefined) index = step === 1 ? Math.max(index, indexOf(after + 1)) : Math.min(index, indexOf(after - 1));
  for (let row = all[index]; row !== undefined && found.length < limit; row = all[(index += step)]) {
    if (isWanted(row, wanted)) found.push(row);
  }
  return found;
}

type Wanted = Pick<AuditQuery, "actions" | "sessionId" | "at" | "since" | "until"> & {
  readonly ids: ReadonlySet<CheckpointId> | undefined;
};

function isWanted(row: LoggedEvent, { actions, sessionId, ids, at, since, until }: Wanted): boolean {
  return (
    actions?.includes(row.action) !== false &&
    (sessionId === undefined || row.sessionId === sessionId) &&
    (ids === undefined || (row.checkpointId !== undefined && ids.has(row.checkpointId))) &&
    (at === undefined || row.at.getTime() === at.getTime()) &&
    (since === undefined || row.at >= since) &&
    (until === undefined || row.at <= until)
  );
}
