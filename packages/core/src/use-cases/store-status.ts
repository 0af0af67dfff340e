import type { CleanUpReason } from "../clean-up/plan.ts";
import type { Durability } from "../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { Limits } from "../model/limits.ts";
import type { Session } from "../model/session.ts";
import type { BlobStore, QuarantinedBlob } from "../ports/blob-store.ts";
import type { Catalog, StoreUsage } from "../ports/catalog.ts";
import type { Storage } from "../ports/storage.ts";
import { type IndexStatus, indexStatus } from "./index-status.ts";
import { eachSession } from "./view-store.ts";

export interface StatusPorts {
  readonly storage: Pick<
    Storage,
    "durability" | "isReadOnly" | "mode" | "warnings" | "catalog" | "blobs" | "locking" | "search" | "vectors" | "derivedBytes"
  >;
  readonly limits: Pick<Limits, "maxSessionBytes" | "maxTotalBytes">;
}

export interface StoreStatus extends StoreUsage, IndexStatus {
  readonly durability: Durability;
  /** Whether it is open for reading alone. */
  readonly readOnly: boolean;
  /** How the storage works at present, such as the driver in use. */
  readonly mode: string;
  /** What a person should know or do, a sentence each. */
  readonly warnings: readonly string[];
  /** Of all blobs, those in the trash included. */
  readonly quota: QuotaUse;
  /** The sessions that hold the most, the largest first. */
  readonly largestSessions: readonly SessionUse[];
  /** Ids of erased checkpoints of which parts are still in the store: the next opening for writing finishes their erasure. */
  readonly unfinishedErasures: readonly CheckpointId[];
  /** What was put aside because it is damaged, or nobody knows what it is. */
  readonly quarantine: QuarantineUse;
  /** When the store followed its policy last, and what it removed then; `undefined` when the audit log has none. */
  readonly lastCleanUp: LastCleanUp | undefined;
  /** When the last finished backup was begun; `undefined` when the audit log has none. */
  readonly lastBackupAt: Date | undefined;
}

export interface QuarantineUse {
  readonly files: number;
  readonly bytes: number;
  /** The first twenty, by their places. */
  readonly places: readonly string[];
}

export interface LastCleanUp {
  readonly at: Date;
  /** Checkpoints that went into the trash. */
  readonly trashed: number;
  /** Checkpoints that are gone for good. */
  readonly removed: number;
  /** Of which sessions, those forgotten included. */
  readonly sessions: number;
  /** Why, each reason once. */
  readonly reasons: readonly (CleanUpReason | "empty")[];
}

/** Bytes of blobs as stored, against what there may be. */
export interface QuotaUse {
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** The one in parts of the other, to three places. */
  readonly share: number;
}

export interface SessionUse extends QuotaUse {
  readonly sessionId: SessionId;
  readonly checkpoints: number;
  readonly lastAccessedAt: Date;
}

const LARGEST = 10;
const PLACES = 20;
/** From here on a quota is worth a warning. */
const NEARLY_FULL = 0.9;

/** How a store stands: what it holds, against which limits, and what a person should know. Reads no blob. */
export async function storeStatus({ storage, limits }: StatusPorts): Promise<StoreStatus> {
  const { durability, mode, catalog, blobs, locking } = storage;
  return locking.shared(async () => {
    const usage = await catalog.usage();
    const quota = quotaUse(usage.liveBytes + usage.trashBytes, limits.maxTotalBytes);
    const largestSessions: SessionUse[] = [];
    for await (const session of eachSession(catalog, {})) insert(largestSessions, sessionUse(session, limits.maxSessionBytes));
    const unfinishedErasures = (await catalog.erasures()).map(({ checkpointId }) => checkpointId);
    const warnings = [...storage.warnings, ...warningsOf({ usage, quota, largest: largestSessions, unfinishedErasures })];
    const quarantine = await quarantineUse(blobs);
    const [backup] = await catalog.auditLog({ actions: ["backup"], limit: 1 });
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

/** All that a clean-up removed has its time. */
async function findLastCleanUp(catalog: Catalog): Promise<LastCleanUp | undefined> {
  const [last] = await catalog.auditLog({ actions: ["clean-up"], limit: 1 });
  if (last === undefined) return undefined;
  const events = await catalog.auditLog({ actions: ["trash", "delete"], at: last.at });
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

/** Keeps the largest, in their order: there may be many more sessions than anybody wants to see. */
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
      `Erased checkpoints of which parts are still in the store: ${unfinishedErasures.join(", ")}. The next opening for writing finishes that.`,
    damaged > 0 && `Damaged checkpoints: ${damaged}. \`workrail verify\` names them.`,
    mendings > 0 &&
      `How often the catalog was damaged and mended: ${mendings}. A disk or memory may be failing: keep a backup on another disk.`,
    quota.share >= NEARLY_FULL && "The store is nearly full: saves will be refused.",
    full.length > 0 && `Sessions that are nearly full: ${full.map(({ sessionId }) => sessionId).join(", ")}.`,
  ];
  return warnings.filter((each) => each !== false);
}
