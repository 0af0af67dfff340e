import type { SavedContent } from "../json/saved-content.ts";
import { joinBytes, LARGE_BYTES } from "../json/text-parts.ts";
import type { CheckpointFacts } from "../model/checkpoint.ts";
import type { Codec } from "../ports/codec.ts";
import type { Digester } from "../ports/environment.ts";
import { envelopeParts } from "./envelope.ts";

/** Encodes a whole checkpoint for storage. A large one is encoded in turns and never in memory as a whole. */
export async function encodeBlob(
  { codec, digests }: { readonly codec: Codec; readonly digests: Digester },
  facts: CheckpointFacts,
  content: Pick<SavedContent, "sizeBytes" | "parts">,
): Promise<Uint8Array> {
  const parts = envelopeParts(facts, content.parts(), digests);
  if (content.sizeBytes > LARGE_BYTES && codec.encodeParts !== undefined) return codec.encodeParts(parts);
  return codec.encode(joinBytes(content.sizeBytes > LARGE_BYTES ? Array.from(parts, ownBytes) : [...parts]));
}

/** Parts of a large content share one buffer. */
function ownBytes(part: Uint8Array): Uint8Array {
  return part.slice();
}
