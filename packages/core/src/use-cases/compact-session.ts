import { applyDelta } from "../delta/apply-delta.ts";
import { findDelta } from "../delta/find-delta.ts";
import { encodeDelta } from "../envelope/envelope.ts";
import { isWorkrailError, WorkrailError } from "../errors.ts";
import { parseJson } from "../json/parse-json.ts";
import { CHECKPOINT_KINDS, type CheckpointRecord } from "../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import { decodeUtf8, encodeUtf8 } from "../platform.ts";
import type { Locking } from "../ports/locking.ts";
import { type ReadPorts, readContext } from "./read-context.ts";

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
/** How far back a call looks. Chains are shorter than this: see `READ_COST_BYTES`. */
const WINDOW = 500;
/** Comparing larger contexts would hold up the process; they stay whole. */
const LARGEST_COMPARED_BYTES = 32 * 1024 * 1024;
type Pause = () => Promise<void>;

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
  const { maxSteps = 4, givenUp = new Set(), pause = async () => {} } = limits;
  return ports.locking.shared(async () => {
    const page = await ports.catalog.list({ filter: { sessionId, kinds: EVERY_KIND }, limit: WINDOW, offset: 0 });
    // Nothing may come to hang on a damaged one, and the newest two that stay whole must be readable.
    const records = page.records.filter((record) => !record.damaged).toReversed();
    // Where the window begins in the middle of a session, its first whole one counts as a place to stop.
    const startsWhole = page.next === undefined ? 0 : records.findIndex((record) => record.baseId === null) + 1;
    let [reencoded, savedBytes, sinceWhole] = [0, 0, 0];
    for (let index = startsWhole; index < records.length - NEWEST_WHOLE; index++) {
      const record = records[index] as CheckpointRecord;
      if (record.baseId !== null) {
        sinceWhole += record.blobBytes + READ_COST_BYTES;
        continue;
      }
      const staysWhole = sinceWhole > record.blobBytes || givenUp.has(record.id) || record.contextBytes > LARGEST_COMPARED_BYTES;
      if (!staysWhole && reencoded === maxSteps) return { reencoded, savedBytes, hasMore: true };
      const blobBytes = staysWhole ? undefined : await reencode(ports, record, records[index + 1] as CheckpointRecord, pause);
      if (blobBytes === undefined) {
        if (!staysWhole) givenUp.add(record.id);
        sinceWhole = 0;
        continue;
      }
      reencoded += 1;
      savedBytes += record.blobBytes - blobBytes;
      sinceWhole += blobBytes + READ_COST_BYTES;
    }
    return { reencoded, savedBytes, hasMore: false };
  });
}

/** The new size; `undefined` when the checkpoint is better left whole, or changed meanwhile. */
async function reencode(
  ports: CompactionPorts,
  record: CheckpointRecord,
  base: CheckpointRecord,
  pause: Pause,
): Promise<number | undefined> {
  const bytes = await deltaBlob(ports, record, base, pause);
  if (bytes === undefined || bytes.length + READ_COST_BYTES >= record.blobBytes) return undefined;
  const edge = { dependent: record.id, base: base.id };
  await ports.catalog.commit({ edges: { add: [edge], drop: [] }, audit: [] });
  const becomes = { blobBytes: bytes.length, baseId: base.id, keyId: record.keyId };
  const isDone = await ports.catalog.replaceBlob(record, becomes, () => ports.blobs.replace(record.blob, bytes));
  // If not, the edge stays: somebody else may have been faster, or an earlier attempt have replaced the file and died.
  return isDone ? bytes.length : undefined;
}

/** `undefined` when either cannot be read: a damaged one is not touched, and nothing is made to hang on it. */
async function deltaBlob(
  ports: CompactionPorts,
  record: CheckpointRecord,
  base: CheckpointRecord,
  pause: Pause,
): Promise<Uint8Array | undefined> {
  try {
    const target = await readContext(ports, record);
    await pause();
    const from = await readContext(ports, base);
    await pause();
    const delta = findDelta(from.context, target.context);
    await pause();
    // As a reader will get it: the delta through its text. Neither step above changes the base, which was read from its own.
    const made = applyDelta(from.context, parseJson(decodeUtf8(encodeUtf8(JSON.stringify(delta)))));
    if (JSON.stringify(made) !== target.contextText) throw new WorkrailError("INTERNAL", "A delta does not make what it was found for.");
    return await ports.codec.encode(encodeDelta(record, base.id, delta, ports.digests));
  } catch (error) {
    if (isWorkrailError(error) && (error.code === "CHECKPOINT_CORRUPT" || error.code === "UNSUPPORTED_VERSION")) return undefined;
    throw error;
  }
}
