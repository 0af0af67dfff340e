import { decodeBlob } from "../envelope/decode-blob.ts";
import { completeFacts, type DeltaFacts, type EnvelopeFacts } from "../envelope/envelope-json.ts";
import type { WorkrailError } from "../errors.ts";
import type { NewRecord } from "../model/checkpoint.ts";
import type { BlobRef, CheckpointId } from "../model/ids.ts";
import type { BlobInfo } from "../ports/blob-store.ts";
import { countOf } from "./count-of.ts";
import { getBlob, isItsOwnFault, refuseWhenNothingIsRead } from "./get-blob.ts";
import { type FoundRecord, type IsPassedOver, type ProofPorts, proveDeltas, type Unreadable } from "./prove-deltas.ts";

export interface ReadBlobsOptions {
  /** Whether a blob is passed over that cannot be read for this. Default: unless the storage fails as a whole. */
  readonly isPassedOver?: IsPassedOver | undefined;
  /** Awaited before each blob is first read. */
  readonly beforeEach?: (() => Promise<void>) | undefined;
  /** Told after each blob. */
  readonly onProgress?: ((progress: ReadBlobsProgress) => void) | undefined;
}

export interface ReadBlobsProgress {
  /** `prove`: what is stored against another is read once more, from the whole ones outwards. */
  readonly phase: "read" | "prove";
  /** Blobs of this phase. */
  readonly done: number;
  readonly total: number;
}

/**
 * The records that the blobs alone tell, each proven to hold what was saved, and the blobs that cannot be read.
 *
 * @throws STORAGE_UNAVAILABLE when nothing at all can be read, and whatever `beforeEach` throws.
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

/** A delta's file, which says the rest of its facts only together with its base's. */
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

/** A copy under another name is not the checkpoint: only the place the store would choose counts. */
function isInItsPlace({ blobs }: ProofPorts, { sessionId, id }: EnvelopeFacts, ref: BlobRef): boolean {
  return blobs.refOf({ sessionId, checkpointId: id }) === ref;
}

/** Completes the deltas from the whole ones outwards. What is not reached that way has no base that can be read. */
function withDeltas(
  ports: ProofPorts,
  whole: readonly FoundRecord[],
  deltas: readonly FoundDelta[],
): { readonly found: readonly FoundRecord[]; readonly baseless: readonly Unreadable[] } {
  const dependents = new Map<CheckpointId, FoundDelta[]>();
  for (const delta of deltas) dependents.set(delta.base, [...(dependents.get(delta.base) ?? []), delta]);
  const found = [...whole];
  const [reached, placed] = [new Set<BlobRef>(), new Set<BlobRef>()];
  // Grows while it is gone through.
  for (const base of found) {
    for (const { ref, blobBytes, facts } of dependents.get(base.id) ?? []) {
      reached.add(ref);
      const complete = completeFacts(facts, base);
      // An id may be there twice, in two sessions: the base is the one beside it.
      if (placed.has(ref) || !isInItsPlace(ports, complete, ref)) continue;
      placed.add(ref);
      found.push({ ...complete, blob: ref, blobBytes, baseId: base.id, keyId: null });
    }
  }
  const baseless = deltas.filter(({ ref }) => !reached.has(ref)).map(({ ref }) => ({ ref, code: "CHECKPOINT_CORRUPT" as const }));
  return { found, baseless };
}
