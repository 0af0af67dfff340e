import { decodeBlob, type DecodedBlob } from "../../envelope/envelope.ts";
import { completeFacts, type DeltaFacts, type EnvelopeFacts } from "../../envelope/envelope-json.ts";
import { WorkrailError } from "../../errors.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import type { ReadPorts } from "../load/read-context.ts";

/**
 * Reads the facts of a blob and completes them from its bases, without using records.
 *
 * @throws CHECKPOINT_CORRUPT when one of the blobs is missing or damaged; UNSUPPORTED_VERSION, TOO_LARGE, STORAGE_UNAVAILABLE.
 */
export async function readFacts(ports: Omit<ReadPorts, "catalog">, sessionId: SessionId, blob: DecodedBlob): Promise<EnvelopeFacts> {
  const deltas: DeltaFacts[] = [];
  const seen = new Set<CheckpointId>();
  let at = blob;
  while (at.kind === "delta") {
    deltas.push(at.facts);
    if (seen.has(at.base)) throw unreadable(at.base);
    seen.add(at.base);
    const bytes = await ports.blobs.get(ports.blobs.refOf({ sessionId, checkpointId: at.base }));
    if (bytes === undefined) throw unreadable(at.base);
    at = await decodeBlob(ports, bytes);
  }
  return deltas.reduceRight<EnvelopeFacts>((base, own) => completeFacts(own, base), at.facts);
}

function unreadable(base: CheckpointId): WorkrailError {
  return new WorkrailError("CHECKPOINT_CORRUPT", `Its base checkpoint ${base} cannot be read.`);
}
