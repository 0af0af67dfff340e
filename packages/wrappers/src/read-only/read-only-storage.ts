import {
  type BlobInfo,
  type BlobKey,
  type BlobRef,
  type BlobStore,
  type CatalogPort,
  type KeyFiles,
  type KeyPlace,
  type QuarantinedBlob,
  readOnly,
  type RecoveryPort,
  type Remains,
  type Storage,
  type UnreadablePlace,
} from "@workrail/core";

/** Rejects: stands for every method that would change a read-only store. */
async function refuse(): Promise<never> {
  throw readOnly();
}

/** Runs an operation on the current catalog, which stays open meanwhile. */
export type UseCatalog = <T>(use: (source: CatalogSource) => Promise<T>) => Promise<T>;

/** Rebuilds a copy of the store's catalog. `fill` returns true when the copy was lost. */
export type RebuildCopy = (fill: (recovery: RecoveryPort) => Promise<boolean>) => Promise<void>;

export type CatalogSource = Pick<Storage, "catalog" | "recovery">;

/** Parts of a read-only storage. */
export interface ReadOnlyParts extends Pick<
  Storage,
  "durability" | "mode" | "warnings" | "blobs" | "keyFiles" | "remains" | "locking" | "close"
> {
  /** Gives access to the current catalog. */
  readonly useCatalog: UseCatalog;
  /** Rebuilds a lost catalog in a copy, which changes nothing in the store. Only where the catalog is a copy of the store's own. */
  readonly rebuildCopy?: RebuildCopy | undefined;
  /** Indexes that may be changed because they are not the store's. */
  readonly search?: Storage["search"];
  readonly vectors?: Storage["vectors"];
}

/** Wraps a storage for readers. Leaves out its indexes, because searching changes them. */
export function readOnlyStorage(storage: Storage): Storage {
  const { catalog, recovery, search: _search, vectors: _vectors, ...rest } = storage;
  return readOnlyStorageOf({ ...rest, useCatalog: (use) => use({ catalog, recovery }) });
}

/** Builds a storage from parts that never change the store. The storage has no reserve: only writers need one. */
export function readOnlyStorageOf(parts: ReadOnlyParts): Storage {
  const { durability, warnings, locking, search, vectors, close } = parts;
  return {
    durability,
    isReadOnly: true,
    mode: `${parts.mode}, read-only`,
    warnings,
    catalog: readOnlyCatalog(parts.useCatalog),
    recovery: readOnlyRecovery(parts),
    blobs: new ReadOnlyBlobStore(parts.blobs),
    locking,
    ...(parts.keyFiles === undefined ? {} : { keyFiles: readOnlyKeyFiles(parts.keyFiles) }),
    ...(parts.remains === undefined ? {} : { remains: readOnlyRemains(parts.remains) }),
    ...(search === undefined ? {} : { search }),
    ...(vectors === undefined ? {} : { vectors }),
    close,
  };
}

/** Refuses every change. */
function readOnlyCatalog(use: UseCatalog): CatalogPort {
  return { read: (reads) => use(({ catalog }) => catalog.read(reads)), change: refuse };
}

function readOnlyRecovery({ useCatalog: use, rebuildCopy }: Pick<ReadOnlyParts, "useCatalog" | "rebuildCopy">): RecoveryPort {
  return {
    // Never deep: a read-only store cannot repair.
    state: () => use(({ recovery }) => recovery.state()),
    async *sessionFacts() {
      yield* await use(async ({ recovery }) => recovery.sessionFacts());
    },
    async replaceAll(content, old) {
      if (rebuildCopy === undefined) return refuse();
      await rebuildCopy(async (recovery) => {
        // The store's own catalog may have been repaired and used since.
        const isLost = (await recovery.state()) === "lost";
        if (isLost) await recovery.replaceAll(content, old);
        return isLost;
      });
    },
  };
}

class ReadOnlyBlobStore implements BlobStore {
  readonly #blobs: BlobStore;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  get(ref: BlobRef): Promise<Uint8Array | undefined> {
    return this.#blobs.get(ref);
  }

  refOf(key: BlobKey): BlobRef {
    return this.#blobs.refOf(key);
  }

  list(onUnreadable?: (place: UnreadablePlace) => void): AsyncIterable<BlobInfo> {
    return this.#blobs.list(onUnreadable);
  }

  listQuarantine(): AsyncIterable<QuarantinedBlob> {
    return this.#blobs.listQuarantine();
  }

  readonly put: typeof refuse = refuse;
  readonly replace: typeof refuse = refuse;
  readonly remove: typeof refuse = refuse;
  readonly erase: typeof refuse = refuse;
  readonly quarantine: typeof refuse = refuse;
  readonly removeAbandoned: typeof refuse = refuse;
}

function readOnlyRemains(remains: Remains): Remains {
  return {
    list: (isSealed) => remains.list(isSealed),
    leftovers: () => remains.leftovers(),
    removeLeftovers: refuse,
    removeCatalogCopies: refuse,
  };
}

function readOnlyKeyFiles(keyFiles: KeyFiles): KeyFiles {
  return {
    read: (place: KeyPlace, isIntact) => keyFiles.read(place, isIntact),
    sessions: () => keyFiles.sessions(),
    write: refuse,
    mend: refuse,
    destroy: refuse,
    destroyAll: refuse,
  };
}
