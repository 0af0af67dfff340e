import type { Context } from "../model/context.ts";
import type { Digest } from "../model/ids.ts";
import type { Limits } from "../model/limits.ts";
import type { Digester } from "../ports/environment.ts";
import { parseJson } from "./parse-json.ts";
import { type CheckedContext, type DigestPorts, prepareBytes, prepareText, tooLarge, written } from "./prepare-context.ts";
import { LARGE_BYTES, SHORT_TEXT, utf8Of, utf8Parts } from "./text-parts.ts";
import { canonicalTexts, type WrittenJson, writeJson, writtenTexts } from "./written-json.ts";

/** Content of a context to be saved: its JSON text in the given key order, and its digests. */
export interface SavedContent {
  readonly sizeBytes: number;
  readonly exactDigest: Digest;
  readonly canonicalDigest: Digest;
  /** Yields the JSON text in parts of any size. */
  texts(): Iterable<string>;
  /** Yields the UTF-8 bytes, encoded on demand. */
  parts(): Iterable<Uint8Array>;
}

/**
 * Captures a context, so that later changes by the caller have no effect. Digests a large context later, in turns, when the
 * result is called.
 *
 * @throws TOO_LARGE, also from the result.
 */
export function takeDown(checked: CheckedContext, ports: DigestPorts): () => Promise<SavedContent> {
  const { limits } = ports;
  const { context, characters } = checked;
  const json = written((): WrittenJson => (characters > SHORT_TEXT ? writeJson(context) : JSON.stringify(context)), limits);
  const digestInTurns = ports.digests.sha256OfParts;
  if (digestInTurns !== undefined && lengthOf(json) > LARGE_BYTES) {
    return () => takeDownLarge({ ...checked, json }, limits, digestInTurns);
  }
  const { bytes, ...digested } = prepareBytes(checked, utf8Of(writtenTexts(json)), ports);
  const content: SavedContent = { sizeBytes: bytes.length, ...digested, texts: () => writtenTexts(json), parts: () => [bytes] };
  return async () => content;
}

/** Captures a context from its JSON text, after the text was changed since the check. */
export async function takeDownText(text: string, ports: DigestPorts): Promise<SavedContent> {
  const isCanonical = false;
  const { sha256OfParts } = ports.digests;
  if (text.length > LARGE_BYTES && sha256OfParts !== undefined)
    return takeDownLarge({ json: text, isCanonical }, ports.limits, sha256OfParts);
  const { bytes, ...digested } = prepareText({ context: parseJson(text) as Context, isCanonical }, text, ports);
  return { sizeBytes: bytes.length, ...digested, texts: () => [text], parts: () => [bytes] };
}

function lengthOf(json: WrittenJson): number {
  let characters = 0;
  for (const { length } of writtenTexts(json)) characters += length;
  return characters;
}

async function takeDownLarge(
  { json, isCanonical }: { readonly json: WrittenJson; readonly isCanonical: boolean },
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
