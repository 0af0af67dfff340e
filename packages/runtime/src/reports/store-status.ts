import {
  auditRows,
  type BlobStore,
  type CatalogPort,
  type ChainedStorage,
  type CheckpointId,
  type CleanUpReason,
  type Durability,
  eachSession,
  type Limits,
  listChanges,
  listErasures,
  type QuarantinedBlob,
  type SearchIndexing,
  type Session,
  type SessionId,
  type SpaceState,
  type StoreUsage,
  sumUsage,
} from "@workrail/core";

export interface StatusPorts {
  readonly storage: Pick<
    ChainedStorage,
    "durability" | "isReadOnly" | "mode" | "warnings" | "catalog" | "blobs" | "locking" | "search" | "vectors" | "derivedBytes"
  >;
  readonly limits: Pick<Limits, "maxSessionBytes" | "maxTotalBytes">;
}

export interface StoreStatus extends StoreUsage, IndexStatus {
  readonly durability: Durability;
  /** True when the store is open for reading only. */
  readonly readOnly: boolean;
  /** Current mode of the storage, such as the driver in use. */
  readonly mode: string;
  /** Warnings for the user, one sentence each. */
  readonly warnings: readonly string[];
  /** Usage by all blobs, including the trash. */
  readonly quota: QuotaUse;
  /** Sessions with the most bytes, largest first. */
  readonly largestSessions: readonly SessionUse[];
  /** Ids of erased checkpoints of which parts are still in the store. The next opening for writing finishes their erasure. */
  readonly unfinishedErasures: readonly CheckpointId[];
  /** Files in quarantine: damaged or of unknown content. */
  readonly quarantine: QuarantineUse;
  /** Last application of the policy; `undefined` when the audit log has none. */
  readonly lastCleanUp: LastCleanUp | undefined;
  /** Start of the last finished backup; `undefined` when the audit log has none. */
  readonly lastBackupAt: Date | undefined;
}

export interface QuarantineUse {
  readonly files: number;
  readonly bytes: number;
  /** The first twenty, sorted by place. */
  readonly places: readonly string[];
}

export interface LastCleanUp {
  readonly at: Date;
  /** Checkpoints moved to the trash. */
  readonly trashed: number;
  /** Checkpoints removed permanently. */
  readonly removed: number;
  /** Affected sessions, including forgotten ones. */
  readonly sessions: number;
  /** Reasons, each once. */
  readonly reasons: readonly (CleanUpReason | "empty")[];
}

/** Stored bytes of blobs and their limit. */
export interface QuotaUse {
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** `usedBytes` divided by `limitBytes`, rounded to three decimals. */
  readonly share: number;
}

export interface SessionUse extends QuotaUse {
  readonly sessionId: SessionId;
  readonly checkpoints: number;
  readonly lastAccessedAt: Date;
}

const LARGEST = 10;
const PLACES = 20;
/** Usage from which a warning is given. */
const NEARLY_FULL = 0.9;

/** Reports the state of a store: contents, limits and warnings. Reads no blob. */
export async function storeStatus({ storage, limits }: StatusPorts): Promise<StoreStatus> {
  const { durability, mode, catalog, blobs, locking } = storage;
  return locking.shared(async () => {
    const usage = await sumUsage(catalog);
    const quota = quotaUse(usage.liveBytes + usage.trashBytes, limits.maxTotalBytes);
    const largestSessions: SessionUse[] = [];
    for await (const session of eachSession(catalog, {})) insert(largestSessions, sessionUse(session, limits.maxSessionBytes));
    const unfinishedErasures = (await listErasures(catalog)).map(({ checkpointId }) => checkpointId);
    const warnings = [...storage.warnings, ...warningsOf({ usage, quota, largest: largestSessions, unfinishedErasures })];
    const quarantine = await quarantineUse(blobs);
    const [backup] = await auditRows(catalog, { actions: ["backup"], limit: 1 });
    const lastCleanUp = await findLastCleanUp(catalog);
    const indexes = await indexStatus(storage, usage.sessions);
    return {
      durability,
      readOnly: storage.isReadOnly === true,
      mode,
      warnings,
      ...usage,
      quota,
      ...indexes,
      largestSessions,
      unfinishedErasures,
      quarantine,
      lastCleanUp,
      lastBackupAt: backup?.at,
    };
  });
}

async function quarantineUse(blobs: BlobStore): Promise<QuarantineUse> {
  const all: QuarantinedBlob[] = [];
  for await (const each of blobs.listQuarantine()) all.push(each);
  const places = all.map(({ place }) => place).toSorted();
  return { files: all.length, bytes: all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0), places: places.slice(0, PLACES) };
}

/** All removals of a clean-up have its time. */
async function findLastCleanUp(catalog: CatalogPort): Promise<LastCleanUp | undefined> {
  const [last] = await auditRows(catalog, { actions: ["clean-up"], limit: 1 });
  if (last === undefined) return undefined;
  const events = await auditRows(catalog, { actions: ["trash", "delete"], at: last.at });
  const gone = events.filter(({ action, checkpointId }) => action === "delete" && checkpointId !== undefined);
  return {
    at: last.at,
    trashed: events.filter(({ action }) => action === "trash").length,
    removed: gone.length,
    sessions: new Set(events.map(({ sessionId }) => sessionId)).size,
    reasons: [...new Set(events.map(({ reason }) => reason as CleanUpReason))],
  };
}

function quotaUse(usedBytes: number, limitBytes: number): QuotaUse {
  return { usedBytes, limitBytes, share: Math.round((usedBytes / limitBytes) * 1_000) / 1_000 };
}

function sessionUse({ id, checkpointCount, totalSizeBytes, lastAccessedAt }: Session, limitBytes: number): SessionUse {
  return { sessionId: id, checkpoints: checkpointCount, ...quotaUse(totalSizeBytes, limitBytes), lastAccessedAt };
}

/** Inserts a session into the sorted list of the largest ones. */
function insert(largest: SessionUse[], session: SessionUse): void {
  const place = largest.findIndex(({ usedBytes }) => usedBytes < session.usedBytes);
  largest.splice(place === -1 ? largest.length : place, 0, session);
  if (largest.length > LARGEST) largest.pop();
}

interface Warned {
  readonly usage: StoreUsage;
  readonly quota: QuotaUse;
  readonly largest: readonly SessionUse[];
  readonly unfinishedErasures: readonly CheckpointId[];
}

function warningsOf({ usage: { damaged, mendings = 0 }, quota, largest, unfinishedErasures }: Warned): string[] {
  const full = largest.filter(({ share }) => share >= NEARLY_FULL);
  const warnings: (string | false)[] = [
    unfinishedErasures.length > 0 &&
      `Erased checkpoints with parts still in the store: ${unfinishedErasures.join(", ")}. The next opening for writing removes them.`,
    damaged > 0 && `Damaged checkpoints: ${damaged}. \`workrail verify\` names them.`,
    mendings > 0 &&
      `Times that the catalog was damaged and repaired: ${mendings}. The disk or memory may be failing: keep a backup on another disk.`,
    quota.share >= NEARLY_FULL && "The store is nearly full: saves will be refused.",
    full.length > 0 && `Sessions that are nearly full: ${full.map(({ sessionId }) => sessionId).join(", ")}.`,
  ];
  return warnings.filter((each) => each !== false);
}

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
async function indexStatus({ catalog, search, vectors, derivedBytes }: IndexPorts, sessions: number): Promise<IndexStatus> {
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
