import type { Digest } from "../model/ids.ts";
import type { Limits } from "../model/limits.ts";
import type { Digester } from "../ports/environment.ts";
import { canonicalParts } from "./canonical-parts.ts";
import { prepareText, tooLarge, writeContext, type WrittenContext } from "./prepare-context.ts";
import { LARGE_BYTES, utf8Parts } from "./text-parts.ts";

/** A context as it is saved: UTF-8 of its JSON text, in the key order given, and its digests. */
export interface SavedContent {
  readonly sizeBytes: number;
  readonly exactDigest: Digest;
  readonly canonicalDigest: Digest;
  /** The bytes, made as they are asked for. */
  parts(): Iterable<Uint8Array>;
}

/**
 * Takes down a context as it is now; what is done to it afterwards makes no difference. A large one is digested later and
 * by turns, when the result is called.
 *
 * @throws as `prepareContext`; TOO_LARGE may come from the result.
 */
export function takeDown(context: unknown, limits: Limits, digests: Digester): () => Promise<SavedContent> {
  const written = writeContext(context, limits);
  const digestInTurns = digests.sha256OfParts;
  if (digestInTurns !== undefined && written.text.length > LARGE_BYTES) return () => takeDownLarge(written, limits, digestInTurns);
  const { bytes, ...digested } = prepareText(written, limits, digests);
  const content: SavedContent = { sizeBytes: bytes.length, ...digested, parts: () => [bytes] };
  return async () => content;
}

async function takeDownLarge(
  { text, isCanonical }: Omit<WrittenContext, "context">,
  limits: Limits,
  sha256OfParts: NonNullable<Digester["sha256OfParts"]>,
): Promise<SavedContent> {
  let sizeBytes = 0;
  const counted = function* (): Generator<Uint8Array> {
    for (const part of utf8Parts(text)) {
      sizeBytes += part.length;
      yield part;
    }
  };
  const exactDigest = await sha256OfParts(counted());
  if (sizeBytes > limits.maxContextBytes) throw tooLarge(sizeBytes, limits);
  const canonicalDigest = isCanonical ? exactDigest : await sha256OfParts(canonicalParts(text));
  return { sizeBytes, exactDigest, canonicalDigest, parts: () => utf8Parts(text) };
}
