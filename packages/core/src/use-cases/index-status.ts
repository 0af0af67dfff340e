import type { SessionId } from "../model/ids.ts";
import type { Catalog } from "../ports/catalog.ts";
import type { SearchIndexing } from "../ports/search-index.ts";
import type { Storage } from "../ports/storage.ts";
import type { SpaceState } from "../ports/vector-index.ts";

/** How far the index of texts is. */
export interface SearchStatus {
  /** Sessions all of whose texts are in it. */
  readonly sessions: number;
  /** Sessions whose newest texts are not: a search waits for them, for a moment. */
  readonly pending: number;
  /** On the disk. */
  readonly bytes: number;
}

/** What there is to search by meaning. */
export interface VectorsStatus {
  /** Of each embedder that was in use, the one used last first. */
  readonly spaces: readonly SpaceState[];
  /** On the disk. */
  readonly bytes: number;
}

export interface IndexStatus {
  /** `undefined` where each process that searches makes an index of its own, in memory. */
  readonly search: SearchStatus | undefined;
  /** `undefined` where nothing was embedded. */
  readonly vectors: VectorsStatus | undefined;
}

type IndexPorts = Pick<Storage, "catalog" | "search" | "vectors" | "derivedBytes">;

const PAGE = 1_000;
/** More are not told apart: they are all there is. */
const MOST_PENDING = 100_000;

/** How far what is derived from a store is. Makes nothing that is not there. */
export async function indexStatus({ catalog, search, vectors, derivedBytes }: IndexPorts, sessions: number): Promise<IndexStatus> {
  const bytes = derivedBytes?.() ?? { search: 0, vectors: 0 };
  return {
    search: search === undefined || derivedBytes === undefined ? undefined : await searchStatus(catalog, search, sessions, bytes.search),
    vectors: vectors === undefined || bytes.vectors === 0 ? undefined : { spaces: await vectors.spaces(), bytes: bytes.vectors },
  };
}

async function searchStatus(catalog: Catalog, search: SearchIndexing, sessions: number, bytes: number): Promise<SearchStatus> {
  // To read one that is not there would make it.
  const waiting = bytes === 0 ? undefined : await sessionsWaiting(catalog, search);
  const pending = Math.min(sessions, waiting ?? sessions);
  return { sessions: sessions - pending, pending, bytes };
}

/** Those the index knows of, and those that changed since it last looked; `undefined`: all. */
async function sessionsWaiting(catalog: Catalog, search: SearchIndexing): Promise<number | undefined> {
  const waiting = new Set<SessionId>();
  let { position } = await search.state();
  for (const { sessionId } of await search.pending(MOST_PENDING)) waiting.add(sessionId);
  while (position !== undefined) {
    const page = await catalog.changes({ after: position, limit: PAGE });
    if (page === undefined) return undefined;
    for (const { sessionId } of page.sessions) waiting.add(sessionId);
    if (!page.hasMore) return waiting.size;
    position = page.position;
  }
  return undefined;
}
