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
    rows: { of: "checkpoints", where, order: "newest", limit: limit + 1, offset, after },
    total: { of: "count", where },
  });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const place = filter.sessionId === undefined ? last?.commit : last?.record.sequence;
  return { records: page.map(({ record }) => record), total, next: place === undefined ? undefined : placeCursor(place) };
}

function whereOf({ query, ...filter }: CheckpointFilter): Where {
  const words = (query ?? "").split(/\s+/u).filter((word) => word !== "");
  return { state: "live", ...filter, words, ...(filter.kinds === undefined ? { notKinds: ["aside"] } : {}) };
}
