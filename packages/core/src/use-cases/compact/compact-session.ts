import { CHECKPOINT_KINDS, type CheckpointRecord } from "../../model/checkpoint.ts";
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
 * Re-encodes a session's checkpoints, except the newest two, as deltas against the next newer one, oldest first. A checkpoint
 * stays whole when the deltas since the last whole one, each with its reading cost, outweigh it, so that no checkpoint is far
 * from a whole one. Work per call is bounded. Safe beside other writers and never lossy: each delta is applied and compared with
 * the exact text before it replaces a file, and a failure leaves the file unchanged.
 */
export async function compactSession(
  ports: CompactionPorts,
  sessionId: SessionId,
  limits: CompactionLimits = {},
): Promise<CompactionReport> {
  const { maxSteps = 4, givenUp = new Set(), pause = async () => {}, inPlace = (put) => put() } = limits;
  return ports.locking.shared(async () => {
    const page = await queryCheckpoints(ports.catalog, { filter: { sessionId, kinds: EVERY_KIND }, limit: WINDOW, offset: 0 });
    // No delta may be based on a damaged checkpoint, and the newest two whole ones must be readable.
    const records = page.records.filter((record) => !record.damaged).toReversed();
    // If the window begins inside a session, its first whole checkpoint counts as a chain end.
    const startsWhole = page.next === undefined ? 0 : records.findIndex((record) => record.baseId === null) + 1;
    const reencoder = new Reencoder(ports, givenUp, { pause, inPlace });
    let sinceWhole = 0;
    for (let index = startsWhole; index < records.length - NEWEST_WHOLE; index++) {
      const record = records[index] as CheckpointRecord;
      if (record.baseId !== null) {
        sinceWhole += record.blobBytes + READ_COST_BYTES;
        continue;
      }
      const staysWhole = sinceWhole > record.blobBytes || givenUp.has(record.id) || !isWorthTrying(record);
      if (!staysWhole && reencoder.made === maxSteps) return { ...(await reencoder.finish()), hasMore: true };
      const next = records[index + 1] as CheckpointRecord;
      const blobBytes = staysWhole ? undefined : await reencoder.make(record, next, record.blobBytes - READ_COST_BYTES);
      if (blobBytes === undefined) {
        if (!staysWhole) givenUp.add(record.id);
        sinceWhole = 0;
        continue;
      }
      sinceWhole += blobBytes + READ_COST_BYTES;
    }
    return { ...(await reencoder.finish()), hasMore: false };
  });
}

function isWorthTrying({ blobBytes, contextBytes }: CheckpointRecord): boolean {
  return blobBytes > SMALLEST_DELTA_BYTES + READ_COST_BYTES && contextBytes <= LARGEST_COMPARED_BYTES;
}
