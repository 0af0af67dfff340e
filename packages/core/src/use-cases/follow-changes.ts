import type { ChangePosition } from "../model/ids.ts";
import type { Catalog, ChangedSession } from "../ports/catalog.ts";
import type { Locking } from "../ports/locking.ts";
import type { IndexState, SearchIndexing } from "../ports/search-index.ts";
import { eachSession } from "./view-store.ts";

/** What is kept up to date with the catalog. */
export interface Follower extends Pick<SearchIndexing, "note"> {
  state(): Promise<Pick<IndexState, "position">>;
}

export interface FollowPorts {
  readonly catalog: Catalog;
  readonly locking: Locking;
  readonly search: Follower;
  readonly pause: () => Promise<void>;
  /** What is remembered from one time to the next. Default: nothing. */
  readonly reached?: Reached;
}

/** How far changes were read of which nothing had to be noted. */
export interface Reached {
  /** Since this was noted. */
  noted?: ChangePosition | undefined;
  position?: ChangePosition | undefined;
  rows?: number;
}

/** Changes read at once. */
const PAGE = 1_000;
/** Rows that tell of nothing to be indexed, such as loads, are read again by each process, until they are this many. */
const WORTH_NOTING = 500;

/**
 * Tells the index which sessions changed since it last knew. Where that cannot be told, as of a new index and after the catalog
 * was rebuilt, all sessions are to be looked at.
 *
 * @returns whether the index was begun anew.
 */
export async function followChanges(ports: FollowPorts): Promise<boolean> {
  return ports.locking.shared(async () => {
    const { reached = {} } = ports;
    const { position: noted } = await ports.search.state();
    if (reached.noted !== noted) Object.assign(reached, { noted, position: noted, rows: 0 });
    while (reached.position !== undefined) {
      const page = await ports.catalog.changes({ after: reached.position, limit: PAGE });
      if (page === undefined) break;
      const rows = (reached.rows ?? 0) + page.rows;
      const isWorthNoting = page.sessions.length > 0 || rows >= WORTH_NOTING;
      if (isWorthNoting) await ports.search.note(page);
      Object.assign(reached, isWorthNoting ? { noted: page.position, rows: 0 } : { rows }, { position: page.position });
      if (!page.hasMore) return false;
    }
    Object.assign(reached, { noted: undefined, position: undefined });
    await beginAnew(ports);
    return true;
  });
}

/** The position is noted last: whoever is interrupted begins anew once more. */
async function beginAnew({ catalog, search, pause }: FollowPorts): Promise<void> {
  const now = await catalog.changes({ limit: 0 });
  await search.note({ sessions: [], restart: true });
  let sessions: ChangedSession[] = [];
  for await (const { id } of eachSession(catalog, {})) {
    sessions.push({ sessionId: id, isExtended: false });
    if (sessions.length < PAGE) continue;
    await search.note({ sessions });
    sessions = [];
    await pause();
  }
  await search.note({ sessions, position: now?.position });
}
