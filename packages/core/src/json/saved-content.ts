import type { Context } from "../model/context.ts";
import type { Digest } from "../model/ids.ts";
import type { Limits } from "../model/limits.ts";
import type { Digester } from "../ports/environment.ts";
import { parseJson } from "./parse-json.ts";
import { type CheckedContext, prepareText, tooLarge, written, writeText } from "./prepare-context.ts";
import { LARGE_BYTES, utf8Parts } from "./text-parts.ts";
import { canonicalTexts, type WrittenJson, writeJson, writtenTexts } from "./written-json.ts";

/** A context as it is saved: UTF-8 of its JSON text, in the key order given, and its digests. */
export interface SavedContent {
  readonly sizeBytes: number;
  readonly exactDigest: Digest;
  readonly canonicalDigest: Digest;
  /** The JSON text, in parts of any size. */
  texts(): Iterable<string>;
  /** The bytes, made as they are asked for. */
  parts(): Iterable<Uint8Array>;
}

/**
 * Takes down a context as it is now; what is done to it afterwards makes no difference. A large one is digested later and
 * by turns, when the result is called.
 *
 * @throws TOO_LARGE, also from the result.
 */
export function takeDown(checked: CheckedContext, limits: Limits, digests: Digester): () => Promise<SavedContent> {
  const digestInTurns = digests.sha256OfParts;
  if (digestInTurns !== undefined && checked.characters > LARGE_BYTES) {
    const json = written(() => writeJson(checked.context), limits);
    return () => takeDownLarge(json, checked, limits, digestInTurns);
  }
  const text = writeText(checked, limits);
  // Mostly escapes, or long numbers.
  if (digestInTurns !== undefined && text.length > LARGE_BYTES) return () => takeDownLarge(text, checked, limits, digestInTurns);
  const { bytes, ...digested } = prepareText(checked, text, limits, digests);
  const content: SavedContent = { sizeBytes: bytes.length, ...digested, texts: () => [text], parts: () => [bytes] };
  return async () => content;
}

/** The same of a context's JSON text that was changed since it was checked. */
export async function takeDownText(text: string, limits: Limits, digests: Digester): Promise<SavedContent> {
  const isCanonical = false;
  if (text.length > LARGE_BYTES && digests.sha256OfParts !== undefined) {
    return takeDownLarge(text, { isCanonical }, limits, digests.sha256OfParts);
  }
  const { bytes, ...digested } = prepareText({ context: parseJson(text) as Context, isCanonical }, text, limits, digests);
  return { sizeBytes: bytes.length, ...digested, texts: () => [text], parts: () => [bytes] };
}

async function takeDownLarge(
  json: WrittenJson,
  { isCanonical }: Pick<CheckedContext, "isCanonical">,
  limits: Limits,
  sha256OfParts: NonNullable<Digester["sha256OfParts"]>,
): Promise<SavedContent> {
  let sizeBytes = 0;
  const parts = (): Generator<Uint8Array> => utf8Parts(writtenTexts(json));
  const counted = function* (): Generator<Uint8Array> {
    for (const part of parts()) {
      sizeBytes += part.length;
      yield part;
    }
  };
  const exactDigest = await sha256OfParts(counted());
  if (sizeBytes > limits.maxContextBytes) throw tooLarge(sizeBytes, limits);
  const canonicalDigest = isCanonical ? exactDigest : await sha256OfParts(utf8Parts(canonicalTexts(json)));
  return { sizeBytes, exactDigest, canonicalDigest, texts: () => writtenTexts(json), parts };
}
