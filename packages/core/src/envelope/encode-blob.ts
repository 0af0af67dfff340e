import type { SavedContent } from "../json/saved-content.ts";
import { LARGE_BYTES } from "../json/text-parts.ts";
import type { CheckpointFacts } from "../model/checkpoint.ts";
import type { Codec } from "../ports/codec.ts";
import type { Digester } from "../ports/environment.ts";
import { envelopeParts, joinBytes } from "./envelope.ts";

/** A whole checkpoint as it is stored. A large one is written by turns, and never in memory as a whole. */
export async function encodeBlob(
  { codec, digests }: { readonly codec: Codec; readonly digests: Digester },
  facts: CheckpointFacts,
  content: Pick<SavedContent, "sizeBytes" | "parts">,
): Promise<Uint8Array> {
  const parts = envelopeParts(facts, content.parts(), digests);
  if (content.sizeBytes > LARGE_BYTES && codec.encodeParts !== undefined) return codec.encodeParts(parts);
  // Copies: each part may be written into the memory of the one before.
  return codec.encode(joinBytes(Array.from(parts, (part) => part.slice())));
}
