import { WorkrailError } from "../../errors.ts";
import { type CheckpointFilter, type CheckpointPage, queryCheckpoints } from "../../catalog/queries/query-checkpoints.ts";
import type { Locking } from "../../ports/locking.ts";
import type { PageCursor } from "../../model/ids.ts";
import type { Session } from "../../model/session.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";

export interface ListPorts {
  readonly catalog: CatalogPort;
  readonly locking: Locking;
}

export interface ListInput extends CheckpointFilter {
  /** Default 20, at most 100. */
  readonly limit?: number | undefined;
  /** Default 0. */
  readonly offset?: number | undefined;
  /** `next` of an earlier page, to continue after it. */
  readonly after?: PageCursor | undefined;
}

export interface CheckpointListing extends CheckpointPage {
  readonly limit: number;
  readonly offset: number;
  /** The requested session, if any and if it exists. */
  readonly session: Session | undefined;
}

const DEFAULT_PAGE = 20;
const MAX_PAGE = 100;

/**
 * Lists checkpoints, newest first. An unknown session yields an empty page, not an error.
 *
 * @throws INVALID_INPUT for an invalid limit or offset.
 */
export async function listCheckpoints(ports: ListPorts, input: ListInput): Promise<CheckpointListing> {
  const { limit = DEFAULT_PAGE, offset = 0, after, ...filter } = input;
  checkWhole("limit", limit, { least: 1, most: MAX_PAGE });
  checkWhole("offset", offset, { least: 0 });
  return ports.locking.shared(async () => {
    const [page, session] = await Promise.all([
      queryCheckpoints(ports.catalog, { filter, limit, offset, after }),
      filter.sessionId === undefined ? undefined : findSession(ports.catalog, filter.sessionId),
    ]);
    return { ...page, limit, offset, session };
  });
}

/**
 * Checks that a number is whole and within bounds.
 *
 * @throws INVALID_INPUT
 */
export function checkWhole(
  field: string,
  value: number,
  { least, most = Number.MAX_SAFE_INTEGER }: { readonly least: number; readonly most?: number },
): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new WorkrailError("INVALID_INPUT", `${field} must be a whole number from ${least} to ${most}.`, {
    details: { field, least, most },
    // The hint is about page sizes only.
    ...(most === MAX_PAGE ? { hint: "Fetch further pages with offset." } : {}),
  });
}
