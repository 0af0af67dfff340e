import type { Codec } from "../ports/codec.ts";
import type { Digester } from "../ports/environment.ts";
import type { Limits } from "../model/limits.ts";
import { type DecodedBlob, decodeEnvelope, MAX_ENVELOPE_BYTES } from "./envelope.ts";

/**
 * Reads a blob as it is stored.
 *
 * @throws CHECKPOINT_CORRUPT, TOO_LARGE, UNSUPPORTED_VERSION
 */
export async function decodeBlob(
  ports: { readonly codec: Codec; readonly digests: Digester; readonly limits: Pick<Limits, "maxContextBytes"> },
  bytes: Uint8Array,
): Promise<DecodedBlob> {
  const decoded = await ports.codec.decode(bytes, ports.limits.maxContextBytes + MAX_ENVELOPE_BYTES);
  return decodeEnvelope(decoded, ports.digests);
}
