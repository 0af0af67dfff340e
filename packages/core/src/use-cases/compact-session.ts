import { CHECKPOINT_KINDS, type CheckpointRecord } from "../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { Locking } from "../ports/locking.ts";
import type { ReadPorts } from "./read-context.ts";
import { type InPlace, Reencoder } from "./reencoder.ts";

export interface CompactionPorts extends ReadPorts {
  readonly locking: Locking;
}

export interface CompactionLimits {
  /** Re-encodings in one call; default 4. What is left is done by the next call. */
  readonly maxSteps?: number;
  /** Checkpoints that are not worth trying again, by id; added to. */
  readonly givenUp?: Set<CheckpointId>;
  /** Awaited between the pieces of work that keep the processor busy, so that others come in between. Default: not at all. */
  readonly pause?: () => Promise<void>;
  /** Runs what puts a smaller file in the place of another, when that is in nobody's way. Default: at once. */
  readonly inPlace?: InPlace;
}

export interface CompactionReport {
  readonly reencoded: number;
  /** Bytes of blobs saved. */
  readonly savedBytes: number;
  /** Whether another call would find more to do. */
  readonly hasMore: boolean;
}

/** These many of a session are always whole: the head, and the one to fall back to. */
const NEWEST_WHOLE = 2;
/** What reading one more file costs, counted as bytes. */
const READ_COST_BYTES = 512;
/** Ids and digests alone take this many, compressed, so that no delta is smaller. */
const SMALLEST_DELTA_BYTES = 150;
/** How far back a call looks. Chains are shorter than this: see `READ_COST_BYTES`. */
const WINDOW = 500;
/** Comparing larger contexts would hold up the process; they stay whole. */
const LARGEST_COMPARED_BYTES = 32 * 1024 * 1024;

const EVERY_KIND = CHECKPOINT_KINDS.filter((kind) => kind !== "aside");

/**
 * Re-encodes a session's checkpoints, all but the newest two, as deltas against the next newer one, oldest first. One
 * stays whole when the deltas since the last whole one, each with the cost of reading it, outweigh it, so that no
 * checkpoint is far from a whole one. Bounded work a call, safe beside other writers, and never a loss: each delta is
 * applied and compared with the exact text before it replaces a file, and a failure leaves the file as it is.
 */
export async function compactSession(
  ports: CompactionPorts,
  sessionId: SessionId,
  limits: CompactionLimits = {},
): Promise<CompactionReport> {
  const { maxSteps = 4, givenUp = new Set(), pause = async () => {}, inPlace = (put) => put() } = limits;
  return ports.locking.shared(async () => {
    const page = await ports.catalog.list({ filter: { sessionId, kinds: EVERY_KIND }, limit: WINDOW, offset: 0 });
    // Nothing may come to hang on a damaged one, and the newest two that stay whole must be readable.
    const records = page.records.filter((record) => !record.damaged).toReversed();
    // Where the window begins in the middle of a session, its first whole one counts as a place to stop.
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
