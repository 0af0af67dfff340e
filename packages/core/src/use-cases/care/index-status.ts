import type { SessionId } from "../../model/ids.ts";
import type { SearchIndexing } from "../../ports/search-index.ts";
import type { ChainedStorage } from "../../ports/storage.ts";
import type { SpaceState } from "../../ports/vector-index.ts";
import { listChanges } from "../../catalog/queries/read-audit.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";

/** Progress of the text index. */
export interface SearchStatus {
  /** Fully indexed sessions. */
  readonly sessions: number;
  /** Sessions with texts that are not indexed yet. A search waits for them briefly. */
  readonly pending: number;
  /** Bytes on disk. */
  readonly bytes: number;
}

/** State of the vectors for search by meaning. */
export interface VectorsStatus {
  /** Spaces of all embedders in use, most recently used first. */
  readonly spaces: readonly SpaceState[];
  /** Bytes on disk. */
  readonly bytes: number;
}

export interface IndexStatus {
  /** `undefined` when each searching process builds its own index in memory. */
  readonly search: SearchStatus | undefined;
  /** `undefined` when nothing was embedded. */
  readonly vectors: VectorsStatus | undefined;
}

type IndexPorts = Pick<ChainedStorage, "catalog" | "search" | "vectors" | "derivedBytes">;

const PAGE = 1_000;
/** Largest number of pending sessions to read. More count as all. */
const MOST_PENDING = 100_000;

/** Reports the progress of a store's derived data. Creates nothing that does not exist. */
export async function indexStatus({ catalog, search, vectors, derivedBytes }: IndexPorts, sessions: number): Promise<IndexStatus> {
  const bytes = derivedBytes?.() ?? { search: 0, vectors: 0 };
  return {
    search:
      search === undefined || derivedBytes === undefined ? undefined : await searchStatus({ catalog, search }, sessions, bytes.search),
    vectors: vectors === undefined || bytes.vectors === 0 ? undefined : { spaces: await vectors.spaces(), bytes: bytes.vectors },
  };
}

async function searchStatus(
  { catalog, search }: { readonly catalog: CatalogPort; readonly search: SearchIndexing },
  sessions: number,
  bytes: number,
): Promise<SearchStatus> {
  // Reading a missing index would create it.
  const waiting = bytes === 0 ? undefined : await sessionsWaiting(catalog, search);
  const pending = Math.min(sessions, waiting ?? sessions);
  return { sessions: sessions - pending, pending, bytes };
}

/** Counts the sessions pending in the index, and those changed since its position; `undefined`: all. */
async function sessionsWaiting(catalog: CatalogPort, search: SearchIndexing): Promise<number | undefined> {
  const waiting = new Set<SessionId>();
  let { position } = await search.state();
  for (const { sessionId } of await search.pending(MOST_PENDING)) waiting.add(sessionId);
  while (position !== undefined) {
    const page = await listChanges(catalog, { after: position, limit: PAGE });
    if (page === undefined) return undefined;
    for (const { sessionId } of page.sessions) waiting.add(sessionId);
    if (!page.hasMore) return waiting.size;
    position = page.position;
  }
  return undefined;
}
