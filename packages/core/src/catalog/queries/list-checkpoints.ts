import { parsePlaceCursor, placeCursor } from "../page-cursor.ts";
import type { CheckpointFilter, CheckpointPage, CheckpointQuery } from "../../ports/catalog.ts";
import type { CatalogPort } from "../catalog-port.ts";
import type { Where } from "../reads.ts";

/**
 * Lists live checkpoints, newest first. Asides are hidden unless their kind is named.
 *
 * @throws INVALID_INPUT when `after` is no cursor.
 */
export async function listCheckpoints(catalog: CatalogPort, query: CheckpointQuery): Promise<CheckpointPage> {
  const { filter, limit, offset } = query;
  const where = whereOf(filter);
  const after = query.after === undefined ? undefined : parsePlaceCursor(query.after);
  const { rows, total } = await catalog.read({
    rows: { of: "checkpoints", where, order: "newest", limit, offset, after },
    total: { of: "count", where },
  });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  const place = filter.sessionId === undefined ? last?.commit : last?.record.sequence;
  const hasMore = place !== undefined && (await hasBehind(catalog, where, place));
  return { records: rows.map(({ record }) => record), total, next: hasMore ? placeCursor(place) : undefined };
}

/** Asks for the place alone: a record behind the page may be damaged, and is not part of it. */
async function hasBehind(catalog: CatalogPort, where: Where, after: number): Promise<boolean> {
  const { places } = await catalog.read({ places: { of: "places", where, order: "newest", after, limit: 1 } });
  return places.length > 0;
}

function whereOf({ query, ...filter }: CheckpointFilter): Where {
  const words = (query ?? "").split(/\s+/u).filter((word) => word !== "");
  return { state: "live", ...filter, words, ...(filter.kinds === undefined ? { notKinds: ["aside"] } : {}) };
}
