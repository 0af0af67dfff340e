import { type BlobStore, type CatalogPort, type SearchEngine, type Storage, type VectorEngine } from "@workrail/core";
import { confinedCatalog } from "@workrail/wrappers";
import type { Confined } from "./isolation.ts";
import { ownIndex } from "./search/own-index.ts";
import { SessionResolver } from "./session-resolver.ts";
import type { Parts } from "./tokens.ts";

/**
 * Returns the parts of a store as a caller with a right to some projects finds them: nothing of other projects exists in them.
 *
 * Search gets an index of its own in memory, since the statistics of a shared one would tell which words others use.
 */
export function partsFor(whole: Parts, { projects }: Confined): Parts {
  const catalog = confinedCatalog(whole.catalog, projects);
  const search = ownIndex(catalog);
  const settings = { ...whole.settings, remembersSessions: false };
  const [own] = projects;
  return {
    ...whole,
    settings,
    catalog,
    search,
    storage: storageFor(whole.storage, { catalog, search, projects }),
    sessions: new SessionResolver({ digests: whole.sealing.digests, ids: whole.ids, settings, project: own }),
    // It serves the whole store, and ends with it.
    embedding: { ...whole.embedding, end: () => {} },
    transcripts: whole.transcripts.in?.(own) ?? whole.transcripts,
  };
}

interface Own {
  readonly catalog: CatalogPort;
  readonly search: SearchEngine;
  readonly projects: Confined["projects"];
}

function storageFor(whole: Storage, { catalog, search, projects }: Own): Storage {
  const { durability, isReadOnly, mode, recovery, blobs, locking, vectors } = whole;
  return {
    durability,
    ...(isReadOnly === undefined ? {} : { isReadOnly }),
    mode,
    // They are about the place of the store.
    warnings: [],
    catalog,
    recovery,
    blobs: withoutLists(blobs),
    locking,
    search,
    ...(vectors === undefined ? {} : { vectors: vectorsFor(vectors, projects) }),
    close: async () => {},
  };
}

/** Blobs are found by what the catalog names. Lists would count sessions of others. */
function withoutLists(blobs: BlobStore): BlobStore {
  return {
    ...(blobs.sharesTransaction === undefined ? {} : { sharesTransaction: blobs.sharesTransaction }),
    put: (key, bytes, options) => blobs.put(key, bytes, options),
    replace: (ref, bytes) => blobs.replace(ref, bytes),
    get: (ref) => blobs.get(ref),
    remove: (ref) => blobs.remove(ref),
    erase: (ref) => blobs.erase(ref),
    quarantine: (ref) => blobs.quarantine(ref),
    refOf: (key) => blobs.refOf(key),
    async *list() {},
    async *listQuarantine() {},
    removeAbandoned: async () => 0,
  };
}

/** Compares with the vectors of the projects alone. The whole store keeps them up to date. */
function vectorsFor(vectors: VectorEngine, projects: Confined["projects"]): VectorEngine {
  return {
    async nearest(space, query) {
      const among = projects.filter((project) => query.project === undefined || query.project === project);
      const found = await Promise.all(among.map((project) => vectors.nearest(space, { ...query, project })));
      return found
        .flat()
        .toSorted((one, other) => other.similarity - one.similarity || (one.checkpointId < other.checkpointId ? -1 : 1))
        .slice(0, query.limit);
    },
    state: async (space) => ({ ...(await vectors.state(space)), pending: 0, vectors: 0 }),
    spaces: async () => [],
    forget: (checkpoints) => vectors.forget(checkpoints),
    note: async () => {},
    pending: async () => [],
    settle: async () => [],
    put: async () => {},
    retire: async () => {},
    erase: async () => {},
    close: async () => {},
  };
}
