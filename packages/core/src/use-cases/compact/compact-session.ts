import { CHECKPOINT_KINDS, type CheckpointRecord } from "../../model/checkpoint.ts";
import type { JsonValue } from "../../model/context.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import type { Locking } from "../../ports/locking.ts";
import type { ReadPorts } from "../load/read-context.ts";
import { type InPlace, Reencoder } from "./reencoder.ts";
import { queryCheckpoints } from "../../catalog/queries/query-checkpoints.ts";

export interface CompactionPorts extends ReadPorts {
  readonly locking: Locking;
}

export interface CompactionLimits {
  /** Re-encodings per call; default 4. The next call continues. */
  readonly maxSteps?: number;
  /** Ids of checkpoints that are not worth another attempt. The call adds to it. */
  readonly givenUp?: Set<CheckpointId>;
  /** Awaited between CPU-bound jobs, so that others can work in between. Default: no pause. */
  readonly pause?: () => Promise<void>;
  /** True when no save is expected soon, so that the newest checkpoints are worth repacking too. Default: false. */
  readonly atRest?: boolean;
  /** Runs the replacement of a file by a smaller one when the store is idle. Default: at once. */
  readonly inPlace?: InPlace;
}

export interface CompactionReport {
  readonly reencoded: number;
  /** Bytes of blobs saved. */
  readonly savedBytes: number;
  /** True when another call would find more to do. */
  readonly hasMore: boolean;
}

/** Newest checkpoints that always stay whole: the head, and the one to fall back to. */
const NEWEST_WHOLE = 2;
/** Cost of reading another file, as bytes. */
const READ_COST_BYTES = 512;
/** Ids and digests alone take this many compressed bytes, so that no delta is smaller. */
const SMALLEST_DELTA_BYTES = 150;
/** Number of newest checkpoints that a call examines. Chains are shorter: see `READ_COST_BYTES`. */
const WINDOW = 500;
/** Larger contexts stay whole, because comparing them would block the process. */
const LARGEST_COMPARED_BYTES = 32 * 1024 * 1024;

const EVERY_KIND = CHECKPOINT_KINDS.filter((kind) => kind !== "aside");

/**
 * Re-encodes a session's checkpoints, except the newest two of each series, as deltas, oldest first. The base of a checkpoint is the newest
 * one that continues it, else the next newer one of its series: see `seriesOf`. A checkpoint stays whole when a line of deltas that
 * leads to it, each with its reading cost, outweighs it, so that no checkpoint is far from a whole one. One that stays whole is repacked,
 * in fewer bytes than a save has the time for. Work per call is bounded. Safe with concurrent writers and never lossy: each new form is
 * compared with the exact content before it replaces a file, and a failure leaves the file unchanged.
 */
export async function compactSession(
  ports: CompactionPorts,
  sessionId: SessionId,
  limits: CompactionLimits = {},
): Promise<CompactionReport> {
  const { maxSteps = 4, givenUp = new Set(), pause = async () => {}, inPlace = (put) => put(), atRest = false } = limits;
  return ports.locking.shared(async () => {
    const page = await queryCheckpoints(ports.catalog, { filter: { sessionId, kinds: EVERY_KIND }, limit: WINDOW, offset: 0 });
    // No delta may be based on a damaged checkpoint, and the newest two whole ones must be readable.
    const records = page.records.filter((record) => !record.damaged).toReversed();
    // If the window begins inside a session, its first whole checkpoint counts as a chain end.
    const startsWhole = page.next === undefined ? 0 : records.findIndex((record) => record.baseId === null) + 1;
    const reencoder = new Reencoder(ports, givenUp, { pause, inPlace });
    const bases = basesOf(records);
    const whole = mayBeRepacked(records, atRest);
    /** Bytes of the longest line of deltas that leads to a checkpoint, with their reading cost. */
    const weighs = new Map<CheckpointId, number>();
    const weigh = (record: CheckpointRecord, blobBytes: number, baseId: CheckpointId): void => {
      const line = (weighs.get(record.id) ?? 0) + blobBytes + READ_COST_BYTES;
      weighs.set(baseId, Math.max(weighs.get(baseId) ?? 0, line));
    };
    for (const record of records.slice(startsWhole)) {
      if (record.baseId !== null) {
        weigh(record, record.blobBytes, record.baseId);
        continue;
      }
      const isHeavy = (weighs.get(record.id) ?? 0) > record.blobBytes;
      const base = isHeavy ? undefined : bases.get(record.id);
      if (givenUp.has(record.id) || (base === undefined && !whole.has(record.id))) continue;
      if (!isWorthTrying(record)) {
        givenUp.add(record.id);
        continue;
      }
      if (reencoder.made === maxSteps) return { ...(await reencoder.finish()), hasMore: true };
      const blobBytes = base && (await reencoder.make(record, base, record.blobBytes - READ_COST_BYTES));
      if (base !== undefined && blobBytes !== undefined) {
        weigh(record, blobBytes, base.id);
        continue;
      }
      if (bases.has(record.id)) givenUp.add(record.id);
      await reencoder.repack(record);
    }
    return { ...(await reencoder.finish()), hasMore: false };
  });
}

/** Chooses the base of each checkpoint that may become a delta. Every base is newer, so that none depends on itself. */
function basesOf(records: readonly CheckpointRecord[]): ReadonlyMap<CheckpointId, CheckpointRecord> {
  const bases = new Map<CheckpointId, CheckpointRecord>();
  const continued = new Map<CheckpointId, CheckpointRecord>();
  const newest = new Map<JsonValue, { readonly next: CheckpointRecord; readonly count: number }>();
  for (const record of records.toReversed()) {
    const series = seriesOf(record);
    const { next, count } = newest.get(series) ?? { next: undefined, count: 0 };
    const base = continued.get(record.id) ?? next;
    if (base !== undefined && count >= NEWEST_WHOLE) bases.set(record.id, base);
    if (record.parentId !== null && !continued.has(record.parentId)) continued.set(record.parentId, record);
    newest.set(series, { next: record, count: count + 1 });
  }
  return bases;
}

/**
 * Returns the checkpoints that are repacked if they stay whole. Those with a newer delta in their series are left out: an earlier call
 * has examined them.
 */
function mayBeRepacked(records: readonly CheckpointRecord[], atRest: boolean): ReadonlySet<CheckpointId> {
  const found = new Set<CheckpointId>();
  const newer = new Map<JsonValue, number>();
  for (const record of records.toReversed()) {
    const series = seriesOf(record);
    // Checkpoints older than a delta of their series never count as enough.
    const count = record.baseId === null ? (newer.get(series) ?? 0) : Number.NEGATIVE_INFINITY;
    if (count >= (atRest ? 0 : NEWEST_WHOLE)) found.add(record.id);
    newer.set(series, count + 1);
  }
  return found;
}

/**
 * Returns the series of a checkpoint: the caller's attribute `series`. Checkpoints of a session that are alike, although they do not follow
 * each other, have one series; without the attribute a session is one series.
 */
function seriesOf({ attributes }: CheckpointRecord): JsonValue {
  const { series = null } = attributes;
  return typeof series === "string" ? series : null;
}

function isWorthTrying({ blobBytes, contextBytes }: CheckpointRecord): boolean {
  return blobBytes > SMALLEST_DELTA_BYTES + READ_COST_BYTES && contextBytes <= LARGEST_COMPARED_BYTES;
}
