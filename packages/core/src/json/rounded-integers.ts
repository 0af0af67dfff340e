import { endOfText } from "./canonical-parts.ts";

/** No integer with fewer digits exceeds 2^53. */
const CANDIDATE = /[[:,\s]-?[0-9]{16}/;
/** Matches integers only. Fractions are excluded: digits beyond the precision of a double were not measured. */
const INTEGER = /(?<![0-9.eE+-])-?[0-9]{16,}(?![0-9.eE])/g;

/**
 * Returns the integers of a JSON text that JavaScript changes when it reads them, because doubles have 53 bits:
 * `9007199254740993` becomes `9007199254740992`. Examples are identifiers and nanosecond timestamps written by programs with
 * 64-bit integers.
 *
 * @param text valid JSON.
 * @returns the digits as written, each once, in order.
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
