import { decodeBlob } from "../envelope/decode-blob.ts";
import { isWorkrailError } from "../errors.ts";
import type { NewRecord } from "../model/checkpoint.ts";
import type { BlobInfo } from "../ports/blob-store.ts";
import { type FoundRecord, type ProofPorts, proveDeltas, type Unreadable } from "./prove-deltas.ts";

/**
 * The records that the blobs alone tell, each proven to hold what was saved, and the blobs that cannot be read.
 *
 * @param beforeEach awaited before each blob is first read.
 * @throws STORAGE_UNAVAILABLE, and whatever `beforeEach` throws.
 */
export async function readBlobs(
  ports: ProofPorts,
  beforeEach: () => Promise<void> = async () => {},
): Promise<{ records: NewRecord[]; unreadable: Unreadable[] }> {
  const found: FoundRecord[] = [];
  const unreadable: Unreadable[] = [];
  for await (const blob of ports.blobs.list()) {
    await beforeEach();
    try {
      const record = await readRecord(ports, blob);
      if (record !== undefined) found.push(record);
    } catch (error) {
      if (!isWorkrailError(error) || error.code === "STORAGE_UNAVAILABLE") throw error;
      unreadable.push({ ref: blob.ref, code: error.code });
    }
  }
  const proven = await proveDeltas(ports, found);
  return { records: proven.records, unreadable: [...unreadable, ...proven.unreadable] };
}

async function readRecord(ports: ProofPorts, blob: BlobInfo): Promise<FoundRecord | undefined> {
  const bytes = await ports.blobs.get(blob.ref);
  if (bytes === undefined) return undefined;
  const decoded = await decodeBlob(ports, bytes);
  const { facts } = decoded;
  // A copy under another name is not the checkpoint: only the place the store would choose counts.
  if (ports.blobs.refOf({ sessionId: facts.sessionId, checkpointId: facts.id }) !== blob.ref) return undefined;
  const baseId = decoded.kind === "delta" ? decoded.base : null;
  return { ...facts, blob: blob.ref, blobBytes: bytes.length, baseId, keyId: null };
}
