import type { ChangePosition } from "../model/ids.ts";
import type { Catalog, ChangedSession, ChangePage } from "../ports/catalog.ts";
import type { Locking } from "../ports/locking.ts";
import type { IndexState, SearchIndexing } from "../ports/search-index.ts";
import { eachSession } from "./view-store.ts";

/** What is known of an index, as far as following needs it. */
type Positioned = Pick<IndexState, "position">;

/** What is kept up to date with the catalog. */
export interface Follower<State extends Positioned = Positioned> extends Pick<SearchIndexing, "note"> {
  state(): Promise<State>;
}

export interface FollowPorts<State extends Positioned = Positioned> {
  readonly catalog: Catalog;
  readonly locking: Locking;
  readonly search: Follower<State>;
  readonly pause: () => Promise<void>;
  /** What is remembered from one time to the next. Default: nothing. */
  readonly reached?: Reached;
}

/** What is remembered; empty in the beginning. */
export interface Reached {
  ahead?: ReadAhead | undefined;
}

/** How far changes were read beyond what the index knows of: none of those tells of anything to be indexed. */
interface ReadAhead {
  /** How far the index knew of them. */
  readonly noted: ChangePosition;
  readonly position: ChangePosition;
  /** Read since `noted`. */
  readonly rows: number;
}

/** What following came to. */
export interface Followed<State> {
  /** Whether the index was begun anew. */
  readonly isNew: boolean;
  /** What the index is, where it was not told anything. */
  readonly state: State | undefined;
}

/** Changes read at once. */
const PAGE = 1_000;
/** Rows that tell of nothing to be indexed, such as loads, are read again by each process, until they are this many. */
const WORTH_NOTING = 500;

/**
 * Tells the index which sessions changed since it last knew. Where that cannot be told, as of a new index and after the catalog
 * was rebuilt, all sessions are to be looked at.
 */
export async function followChanges<State extends Positioned>(ports: FollowPorts<State>): Promise<Followed<State>> {
  return ports.locking.shared(async () => {
    const { reached = {} } = ports;
    const state = await ports.search.state();
    const noted = state.position;
    // Others may have noted more since.
    if (reached.ahead?.noted !== noted) reached.ahead = noted === undefined ? undefined : startingAt(noted);
    while (reached.ahead !== undefined) {
      const page = await ports.catalog.changes({ after: reached.ahead.position, limit: PAGE });
      if (page === undefined) break;
      reached.ahead = await take(ports.search, reached.ahead, page);
      if (!page.hasMore) return { isNew: false, state: reached.ahead.noted === noted ? state : undefined };
    }
    reached.ahead = undefined;
    await beginAnew(ports);
    return { isNew: true, state: undefined };
  });
}

function startingAt(position: ChangePosition): ReadAhead {
  return { noted: position, position, rows: 0 };
}

/** Has the index note a page, unless that is not worth it. */
async function take(search: Follower, ahead: ReadAhead, page: ChangePage): Promise<ReadAhead> {
  const rows = ahead.rows + page.rows;
  if (page.sessions.length === 0 && rows < WORTH_NOTING) return { ...ahead, position: page.position, rows };
  await search.note(page);
  return startingAt(page.position);
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
