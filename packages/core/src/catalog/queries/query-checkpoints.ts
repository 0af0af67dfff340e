import type { CheckpointKind, CheckpointRecord } from "../../model/checkpoint.ts";
import type { CheckpointId, PageCursor, SessionId } from "../../model/ids.ts";
import type { CatalogReader } from "../catalog-port.ts";
import { type CheckpointRow, liveIn } from "../rows.ts";
import { headOf, type NamedConditions, type Where } from "../reads.ts";
import { parsePlaceCursor, placeCursor } from "../page-cursor.ts";

/** Returns a live checkpoint; `undefined` when there is none with this id. */
export async function findCheckpoint(catalog: CatalogReader, id: CheckpointId): Promise<CheckpointRecord | undefined> {
  const { row } = await catalog.read({ row: { of: "checkpoint", id } });
  return liveIn(row);
}

/** Returns the head of a session: the checkpoint with the highest sequence. Asides and damaged checkpoints are never the head. */
export async function findHead(catalog: CatalogReader, sessionId: SessionId): Promise<CheckpointRecord | undefined> {
  const { head } = await catalog.read({ head: headOf(sessionId) });
  return head[0]?.record;
}

/** Every condition must hold. */
export interface CheckpointFilter extends NamedConditions {
  /** Words, each of which must be part of the name, a tag, the attributes, the workflow or the agent, ignoring case. */
  readonly query?: string | undefined;
  /** Absent: all kinds except asides. An empty list matches nothing. */
  readonly kinds?: readonly CheckpointKind[] | undefined;
}

export interface CheckpointQuery {
  readonly filter: CheckpointFilter;
  readonly limit: number;
  /** Records to skip, from the newest. */
  readonly offset: number;
  /** Continue after this page, regardless of later saves. `offset` then counts from there. */
  readonly after?: PageCursor | undefined;
}

export interface CheckpointPage {
  readonly records: readonly CheckpointRecord[];
  /** Number of all records that match the filter. */
  readonly total: number;
  /** Absent on the last page. */
  readonly next: PageCursor | undefined;
}

/**
 * Lists live checkpoints, newest first. Asides are hidden unless their kind is named.
 *
 * @throws INVALID_INPUT when `after` is not a cursor.
 */
export async function queryCheckpoints(catalog: CatalogReader, query: CheckpointQuery): Promise<CheckpointPage> {
  const { filter, limit, offset } = query;
  const where = liveWhere(filter);
  const after = query.after === undefined ? undefined : parsePlaceCursor(query.after);
  const { rows, total, places } = await catalog.read({
    rows: { of: "checkpoints", where, order: "newest", limit, offset, after },
    total: { of: "count", where },
    // Reads no record of the next page, because it may be damaged.
    places: { of: "places", where, order: "newest", after, limit: offset === 0 ? limit + 1 : 0 },
  });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  const place = placeOf(filter, last);
  const hasMore = places.length > limit || (offset > 0 && place !== undefined && (await hasRowAfter(catalog, where, place)));
  return { records: rows.map(({ record }) => record), total, next: hasMore && place !== undefined ? placeCursor(place) : undefined };
}

/** Returns a row's place in the order of the filter: its sequence if the filter names a session, else its commit. */
export function placeOf({ sessionId }: CheckpointFilter, row: CheckpointRow | undefined): number | undefined {
  return sessionId === undefined ? row?.commit : row?.record.sequence;
}

/** Tells whether a row follows a place. */
async function hasRowAfter(catalog: CatalogReader, where: Where, after: number): Promise<boolean> {
  const { places } = await catalog.read({ places: { of: "places", where, order: "newest", after, limit: 1 } });
  return places.length > 0;
}

/** Returns the conditions of a filter. Asides are hidden unless their kind is named. */
export function liveWhere({ query, ...filter }: CheckpointFilter): Where {
  const words = (query ?? "").split(/\s+/u).filter((word) => word !== "");
  return { state: "live", ...filter, words, ...(filter.kinds === undefined ? { notKinds: ["aside"] } : {}) };
}
