import { parseTimedCursor, timedCursor } from "../page-cursor.ts";
import type { TrashPage, TrashQuery } from "../../ports/catalog.ts";
import type { CatalogPort } from "../catalog-port.ts";
import type { Where } from "../reads.ts";

/**
 * Lists the checkpoints in the trash, the longest there first.
 *
 * @throws INVALID_INPUT when `after` is no cursor.
 */
export async function listTrash(catalog: CatalogPort, query: TrashQuery): Promise<TrashPage> {
  const { sessionId, checkpointId, limit } = query;
  const where: Where = { state: "trash", sessionId, ids: checkpointId === undefined ? undefined : [checkpointId] };
  const after = query.after === undefined ? undefined : parseTimedCursor(query.after);
  const { rows } = await catalog.read({ rows: { of: "checkpoints", where, order: "trashed", limit: limit + 1, after } });
  const entries = rows.slice(0, limit).flatMap(({ record, trashedAt }) => (trashedAt === undefined ? [] : [{ record, trashedAt }]));
  const last = rows.length > limit ? entries.at(-1) : undefined;
  return { entries, next: last && timedCursor(last.trashedAt, last.record.id) };
}
