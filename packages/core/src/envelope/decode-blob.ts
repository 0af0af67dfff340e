import { byteParts, LARGE_BYTES } from "../json/text-parts.ts";
import type { Limits } from "../model/limits.ts";
import { refuseObjectPointer } from "../object-pointer.ts";
import type { Codec } from "../ports/codec.ts";
import type { Digester } from "../ports/environment.ts";
import { type DecodedBlob, MAX_ENVELOPE_BYTES, openEnvelope, proven } from "./envelope.ts";

/**
 * Decodes a stored blob and verifies the digest of a whole checkpoint.
 *
 * @throws CHECKPOINT_CORRUPT, TOO_LARGE, UNSUPPORTED_VERSION, and STORAGE_UNAVAILABLE for a pointer to object storage
 */
export async function decodeBlob(
  ports: { readonly codec: Codec; readonly digests: Digester; readonly limits: Pick<Limits, "maxContextBytes"> },
  bytes: Uint8Array,
): Promise<DecodedBlob> {
  const { codec, digests, limits } = ports;
  refuseObjectPointer(bytes);
  const opened = openEnvelope(await codec.decode(bytes, limits.maxContextBytes + MAX_ENVELOPE_BYTES), digests);
  if (opened.kind === "delta") return opened;
  const { context } = opened;
  const isLarge = context.length > LARGE_BYTES && digests.sha256OfParts !== undefined;
  return proven(opened, isLarge ? await digests.sha256OfParts(byteParts(context)) : digests.sha256(context));
}
