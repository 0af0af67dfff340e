import { endOfText } from "./canonical-parts.ts";

/** No integer of fewer digits is beyond 2^53. */
const CANDIDATE = /[[:,\s]-?[0-9]{16}/;
/** Integers alone: of a fraction the digits that a double has not are no part of what was measured. */
const INTEGER = /(?<![0-9.eE+-])-?[0-9]{16,}(?![0-9.eE])/g;

/**
 * Integers of a JSON text that JavaScript reads as others, because doubles have 53 bits: `9007199254740993` becomes `9007199254740992`.
 * Identifiers and moments in nanoseconds are such, where whoever wrote them has integers of 64 bits.
 *
 * @param text JSON, for which `JSON.parse` has been found to read it.
 * @returns their digits as they are written, each once, in the order of the text.
 */
export function roundedIntegers(text: string): string[] {
  if (!CANDIDATE.test(text)) return [];
  const found = new Set<string>();
  for (let from = 0; from < text.length;) {
    const quote = text.indexOf('"', from);
    const to = quote < 0 ? text.length : quote;
    for (const [digits] of text.slice(from, to).matchAll(INTEGER)) if (isRounded(digits)) found.add(digits);
    from = quote < 0 ? to : endOfText(text, quote);
  }
  return [...found];
}

function isRounded(digits: string): boolean {
  const read = Number(digits);
  return Number.isFinite(read) && BigInt(read) !== BigInt(digits);
}
