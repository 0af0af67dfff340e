import { parseTimedCursor, timedCursor } from "../page-cursor.ts";

import type { CatalogReader } from "../catalog-port.ts";
import type { Where } from "../reads.ts";
import type { SessionId, CheckpointId, PageCursor } from "../../model/ids.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";

export interface TrashQuery {
  readonly sessionId?: SessionId | undefined;
  /** Only this checkpoint. */
  readonly checkpointId?: CheckpointId | undefined;
  readonly limit: number;
  /** Continue after this page. */
  readonly after?: PageCursor | undefined;
}

export interface TrashPage {
  readonly entries: readonly TrashedCheckpoint[];
  /** Absent on the last page. */
  readonly next: PageCursor | undefined;
}

export interface TrashedCheckpoint {
  readonly record: CheckpointRecord;
  readonly trashedAt: Date;
}

/**
 * Lists the checkpoints in the trash, the longest there first.
 *
 * @throws INVALID_INPUT when `after` is not a cursor.
 */
export async function queryTrash(catalog: CatalogReader, query: TrashQuery): Promise<TrashPage> {
  const { sessionId, checkpointId, limit } = query;
  const where: Where = { state: "trash", sessionId, ids: checkpointId === undefined ? undefined : [checkpointId] };
  const after = query.after === undefined ? undefined : parseTimedCursor(query.after);
  const { rows } = await catalog.read({ rows: { of: "checkpoints", where, order: "trashed", limit: limit + 1, after } });
  const entries = rows.slice(0, limit).flatMap(({ record, trashedAt }) => (trashedAt === undefined ? [] : [{ record, trashedAt }]));
  const last = rows.length > limit ? entries.at(-1) : undefined;
  return { entries, next: last && timedCursor(last.trashedAt, last.record.id) };
}
