import {
  type CatalogPort,
  type ChangedSession,
  type ChangePage,
  type ChangePosition,
  eachSession,
  type IndexState,
  type Locking,
  type SearchIndexing,
  listChanges,
} from "@workrail/core";

/** State of an index, as far as following needs it. */
type Positioned = Pick<IndexState, "position">;

/** Index that follows the catalog. */
export interface Follower<State extends Positioned = Positioned> extends Pick<SearchIndexing, "note"> {
  state(): Promise<State>;
}

export interface FollowPorts<State extends Positioned = Positioned> {
  readonly catalog: CatalogPort;
  readonly locking: Locking;
  readonly search: Follower<State>;
  readonly pause: () => Promise<void>;
  /** State kept between calls. Default: none. */
  readonly reached?: Reached;
}

/** State between calls; initially empty. */
export interface Reached {
  ahead?: ReadAhead | undefined;
}

/** Changes read beyond the noted position that do not concern indexed data. */
interface ReadAhead {
  /** Position that the index has noted. */
  readonly noted: ChangePosition;
  readonly position: ChangePosition;
  /** Rows read since `noted`. */
  readonly rows: number;
}

/** Result of following. */
export interface Followed<State> {
  /** True when the index was started again. */
  readonly isNew: boolean;
  /** State of the index, when nothing was noted. */
  readonly state: State | undefined;
}

/** Changes read at once. */
const PAGE = 1_000;
/** Number of irrelevant rows, such as loads, from which their position is noted. Until then each process reads them again. */
const WORTH_NOTING = 500;

/**
 * Tells the index which sessions changed since its position. When this is unknown, for a new index or after a rebuild of the
 * catalog, notes all sessions.
 */
export async function followChanges<State extends Positioned>(ports: FollowPorts<State>): Promise<Followed<State>> {
  return ports.locking.shared(async () => {
    const { reached = {} } = ports;
    const state = await ports.search.state();
    const noted = state.position;
    // Another process may have noted more since.
    if (reached.ahead?.noted !== noted) reached.ahead = noted === undefined ? undefined : startingAt(noted);
    while (reached.ahead !== undefined) {
      const page = await listChanges(ports.catalog, { after: reached.ahead.position, limit: PAGE });
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

/** Notes a page in the index, if it is worth it. */
async function take(search: Follower, ahead: ReadAhead, page: ChangePage): Promise<ReadAhead> {
  const rows = ahead.rows + page.rows;
  if (page.sessions.length === 0 && rows < WORTH_NOTING) return { ...ahead, position: page.position, rows };
  await search.note(page);
  return startingAt(page.position);
}

/** Notes all sessions. The position comes last, so that an interrupted run starts again. */
async function beginAnew({ catalog, search, pause }: FollowPorts): Promise<void> {
  const now = await listChanges(catalog, { limit: 0 });
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
