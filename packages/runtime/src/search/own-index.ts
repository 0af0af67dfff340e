import type { CatalogPort, CatalogReader, ChangedSession, Reads, SearchEngine } from "@workrail/core";

/**
 * Makes an index in memory, on first use, for the sessions of one part of a store.
 *
 * @param catalog the part: changes of other sessions are not noted, so that their number does not show.
 */
export function ownIndex(catalog: CatalogReader): SearchEngine {
  let made: Promise<SearchEngine> | undefined;
  const index = (): Promise<SearchEngine> =>
    (made ??= import("@workrail/search-minisearch").then(({ miniSearchIndex }) => miniSearchIndex()));
  const isOwn = async ({ sessionId }: ChangedSession): Promise<boolean> => {
    const { row } = await catalog.read({ row: { of: "session", id: sessionId } });
    return row !== undefined || (await (await index()).indexed(sessionId, 1)).version > 0;
  };
  return {
    async note({ sessions, ...news }) {
      const own = await Promise.all(sessions.map(async (each) => ((await isOwn(each)) ? [each] : [])));
      await (await index()).note({ ...news, sessions: own.flat() });
    },
    match: async (query) => (await index()).match(query),
    termsLike: async (term, most) => (await index()).termsLike(term, most),
    state: async () => (await index()).state(),
    pending: async (limit) => (await index()).pending(limit),
    indexed: async (session, newest) => (await index()).indexed(session, newest),
    update: async (change) => (await index()).update(change),
    tidy: async () => (await index()).tidy(),
    erase: async () => (await made)?.erase(),
    close: async () => (await made)?.close(),
  };
}

/** Returns a catalog that tells what changed in the whole, for an index that follows it, and otherwise shows the part. */
export function followingChanges(part: CatalogPort, whole: CatalogReader): CatalogPort {
  const isOfLog = (reads: Reads): boolean => Object.values(reads).every(({ of }) => of === "audit");
  return { read: (reads) => (isOfLog(reads) ? whole : part).read(reads), change: (rule) => part.change(rule) };
}
