import type { AutomaticSession, CheckpointView, SessionView, TrashView } from "../../clean-up/plan.ts";
import { HOOK_TAG } from "../../clean-up/plan-thinning.ts";
import { CHECKPOINT_KINDS, type CheckpointRecord } from "../../model/checkpoint.ts";
import type { PageCursor, SessionId } from "../../model/ids.ts";
import { ownerOf } from "../../model/side-record.ts";
import { KEEP_TAG, type Session } from "../../model/session.ts";
import { type CheckpointFilter, findHead, liveWhere, placeOf } from "../../catalog/queries/query-checkpoints.ts";
import { findSession, querySessions, type SessionQuery } from "../../catalog/queries/query-sessions.ts";
import { queryTrash, type TrashedCheckpoint, type TrashQuery } from "../../catalog/queries/query-trash.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";
import type { CheckpointRow } from "../../catalog/rows.ts";

const PAGE = 500;

/** Iterates over sessions page by page, least recently used first. */
export async function* eachSession(catalog: CatalogPort, query: Omit<SessionQuery, "limit" | "after">): AsyncGenerator<Session> {
  let after: PageCursor | undefined;
  do {
    const page = await querySessions(catalog, { ...query, limit: PAGE, after });
    yield* page.sessions;
    after = page.next;
  } while (after !== undefined);
}

/** Iterates over records page by page, newest first. */
export async function* eachRecord(
  catalog: CatalogPort,
  filter: CheckpointFilter,
  pageSize: number = PAGE,
): AsyncGenerator<CheckpointRecord> {
  const where = liveWhere(filter);
  let last: CheckpointRow | undefined;
  do {
    const after = placeOf(filter, last);
    const { rows } = await catalog.read({ rows: { of: "checkpoints", where, order: "newest", limit: pageSize, offset: 0, after } });
    yield* rows.map(({ record }) => record);
    last = rows.length === pageSize ? rows.at(-1) : undefined;
  } while (last !== undefined);
}

/** Iterates over the trash page by page, the longest there first. */
export async function* eachTrashed(catalog: CatalogPort, query: Omit<TrashQuery, "limit" | "after">): AsyncGenerator<TrashedCheckpoint> {
  let after: PageCursor | undefined;
  do {
    const page = await queryTrash(catalog, { ...query, limit: PAGE, after });
    yield* page.entries;
    after = page.next;
  } while (after !== undefined);
}

/** Reads the trash for a plan. Side records are left out: they go, and come back, with their checkpoints. */
export async function viewTrash(catalog: CatalogPort, query: Omit<TrashQuery, "limit" | "after"> = {}): Promise<readonly TrashView[]> {
  const entries: TrashView[] = [];
  for await (const { record, trashedAt } of eachTrashed(catalog, query)) {
    if (ownerOf(record) !== undefined) continue;
    entries.push({ id: record.id, sessionId: record.sessionId, bytes: record.blobBytes, trashedAt });
  }
  return entries;
}

/** Reads a session with its checkpoints of every kind. Side records are left out: they go with their checkpoints. */
export async function viewSession(catalog: CatalogPort, session: Session): Promise<SessionView> {
  const checkpoints: CheckpointView[] = [];
  for await (const record of eachRecord(catalog, { sessionId: session.id, kinds: CHECKPOINT_KINDS })) {
    if (ownerOf(record) === undefined) checkpoints.push(viewRecord(record));
  }
  return { ...viewOf(session), checkpoints: checkpoints.toReversed() };
}

/** Reads the asides unused since a time, by session. */
export async function viewUnusedAsides(catalog: CatalogPort, unusedSince: Date): Promise<readonly SessionView[]> {
  const bySession = new Map<SessionId, CheckpointView[]>();
  for await (const record of eachRecord(catalog, { kinds: ["aside"], until: unusedSince })) {
    if (record.lastAccessedAt > unusedSince || ownerOf(record) !== undefined) continue;
    bySession.set(record.sessionId, [...(bySession.get(record.sessionId) ?? []), viewRecord(record)]);
  }
  const views: SessionView[] = [];
  for (const [id, checkpoints] of bySession) {
    const session = await findSession(catalog, id);
    if (session !== undefined) views.push({ ...viewOf(session), checkpoints: checkpoints.toReversed() });
  }
  return views;
}

/** Reads the checkpoints that hooks saved until a time, by session. */
export async function viewAutomatic(catalog: CatalogPort, until: Date): Promise<readonly AutomaticSession[]> {
  const bySession = new Map<SessionId, CheckpointRecord[]>();
  for await (const record of eachRecord(catalog, { tags: [HOOK_TAG], until })) {
    // Agents and people may use the tag too.
    if (typeof record.attributes["savedBy"] !== "string") continue;
    bySession.set(record.sessionId, [...(bySession.get(record.sessionId) ?? []), record]);
  }
  const views: AutomaticSession[] = [];
  for (const [id, records] of bySession) {
    const [session, head] = [await findSession(catalog, id), await findHead(catalog, id)];
    if (session === undefined || records.length < 2) continue;
    const checkpoints = records.map((record) => ({ ...viewRecord(record), createdAt: record.createdAt, isHead: record.id === head?.id }));
    views.push({ ...viewOf(session), checkpoints: checkpoints.toReversed() });
  }
  return views;
}

function viewOf({ id, lastAccessedAt, tags }: Session): Omit<SessionView, "checkpoints"> {
  return { id, lastAccessedAt, isKept: tags.includes(KEEP_TAG) };
}

function viewRecord({ id, blobBytes, project, tags, kind, damaged, shieldedUntil }: CheckpointRecord): CheckpointView {
  const canBeHead = kind !== "aside" && !damaged;
  return { id, bytes: blobBytes, project, isKept: tags.includes(KEEP_TAG), canBeHead, shieldedUntil };
}
