import { decodeBlob } from "../../envelope/envelope.ts";
import { completeFacts, type DeltaFacts, type EnvelopeFacts } from "../../envelope/envelope-json.ts";
import type { WorkrailError } from "../../errors.ts";
import type { NewRecord } from "../../model/checkpoint.ts";
import type { BlobRef, CheckpointId } from "../../model/ids.ts";
import type { BlobInfo } from "../../ports/blob-store.ts";
import { getBlob, isItsOwnFault, refuseWhenNothingIsRead } from "../load/get-blob.ts";
import { type FoundRecord, type IsPassedOver, type ProofPorts, proveDeltas, type Unreadable } from "../compact/prove-deltas.ts";

export interface ReadBlobsOptions {
  /** Decides whether an unreadable blob is skipped. Default: unless the storage fails as a whole. */
  readonly isPassedOver?: IsPassedOver | undefined;
  /** Awaited before the first read of each blob. */
  readonly beforeEach?: (() => Promise<void>) | undefined;
  /** Called after each blob. */
  readonly onProgress?: ((progress: ReadBlobsProgress) => void) | undefined;
}

export interface ReadBlobsProgress {
  /** `prove`: deltas and their bases are read again, starting from the whole ones. */
  readonly phase: "read" | "prove";
  /** Blobs of this phase that are done. */
  readonly done: number;
  readonly total: number;
}

/**
 * Reads the records that the blobs alone provide, each verified to hold what was saved, and lists the unreadable blobs.
 *
 * @throws STORAGE_UNAVAILABLE when nothing at all can be read; the errors of `beforeEach`.
 */
export async function readBlobs(
  ports: ProofPorts,
  { beforeEach, onProgress, isPassedOver = isItsOwnFault }: ReadBlobsOptions = {},
): Promise<{ records: NewRecord[]; unreadable: Unreadable[] }> {
  const total = onProgress === undefined ? 0 : await countOf(ports.blobs.list(() => {}));
  let done = 0;
  const whole: FoundRecord[] = [];
  const deltas: FoundDelta[] = [];
  const unreadable: Unreadable[] = [];
  const failures: WorkrailError[] = [];
  const pass = (ref: BlobRef, error: unknown): void => {
    if (!isPassedOver(error)) throw error;
    unreadable.push({ ref, code: error.code });
    if (error.code === "STORAGE_UNAVAILABLE") failures.push(error);
  };
  for await (const blob of ports.blobs.list(({ ref, error }) => pass(ref, error))) {
    await beforeEach?.();
    try {
      const found = await readOne(ports, blob);
      if (found !== undefined && "base" in found) deltas.push(found);
      else if (found !== undefined) whole.push(found);
    } catch (error) {
      pass(blob.ref, error);
    }
    done += 1;
    onProgress?.({ phase: "read", done, total: Math.max(total, done) });
  }
  refuseWhenNothingIsRead(done - failures.length, failures);
  const { found, baseless } = withDeltas(ports, whole, deltas);
  const proven = await proveDeltas(ports, found, { isPassedOver, onProven: (progress) => onProgress?.({ phase: "prove", ...progress }) });
  return { records: proven.records, unreadable: [...unreadable, ...baseless, ...proven.unreadable] };
}

/** File of a delta. Its facts are complete only together with its base's facts. */
interface FoundDelta {
  readonly ref: BlobRef;
  readonly blobBytes: number;
  readonly base: CheckpointId;
  readonly facts: DeltaFacts;
}

async function readOne(ports: ProofPorts, { ref }: BlobInfo): Promise<FoundRecord | FoundDelta | undefined> {
  const bytes = await getBlob(ports.blobs, ref);
  if (bytes === undefined) return undefined;
  const decoded = await decodeBlob(ports, bytes);
  const blobBytes = bytes.length;
  if (decoded.kind === "delta") return { ref, blobBytes, base: decoded.base, facts: decoded.facts };
  return isInItsPlace(ports, decoded.facts, ref) ? { ...decoded.facts, blob: ref, blobBytes, baseId: null, keyId: null } : undefined;
}

/** True when the blob is in the place that the store would choose. A copy under another name is not the checkpoint. */
function isInItsPlace({ blobs }: ProofPorts, { sessionId, id }: EnvelopeFacts, ref: BlobRef): boolean {
  return blobs.refOf({ sessionId, checkpointId: id }) === ref;
}

/** Completes the deltas, starting from the whole blobs. A delta that is not reached this way has no readable base. */
function withDeltas(
  ports: ProofPorts,
  whole: readonly FoundRecord[],
  deltas: readonly FoundDelta[],
): { readonly found: readonly FoundRecord[]; readonly baseless: readonly Unreadable[] } {
  const dependents = new Map<CheckpointId, FoundDelta[]>();
  for (const delta of deltas) dependents.set(delta.base, [...(dependents.get(delta.base) ?? []), delta]);
  const found = [...whole];
  const [reached, placed] = [new Set<BlobRef>(), new Set<BlobRef>()];
  // The list grows during the loop.
  for (const base of found) {
    for (const { ref, blobBytes, facts } of dependents.get(base.id) ?? []) {
      reached.add(ref);
      const complete = completeFacts(facts, base);
      // Two sessions may have the same id: the base is the one in the same session.
      if (placed.has(ref) || !isInItsPlace(ports, complete, ref)) continue;
      placed.add(ref);
      found.push({ ...complete, blob: ref, blobBytes, baseId: base.id, keyId: null });
    }
  }
  const baseless = deltas.filter(({ ref }) => !reached.has(ref)).map(({ ref }) => ({ ref, code: "CHECKPOINT_CORRUPT" as const }));
  return { found, baseless };
}

/** Counts items by iterating once, for progress reports. */
export async function countOf(all: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of all) count += 1;
  return count;
}
