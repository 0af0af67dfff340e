import { type FindSecrets, redact } from "../secrets/redact.ts";

/** The most characters of a checkpoint, or of a question, that are embedded: most models read no more than 512 tokens. */
export const EMBEDDED_CHARACTERS = 2_000;
/** Looked at for secrets: what names one may stand far from it. */
const LOOKED_AT = 64_000;
/** Of one that has no text at all. Nothing cannot be embedded. */
const EMPTY = "(empty)";

/**
 * What an embedder is given for a checkpoint, without its secrets: its name and the beginning of what it brought, or of what it
 * holds where it brought nothing.
 *
 * @param lines of the checkpoint, in their order.
 * @param known those of its predecessor.
 */
export function textToEmbed(name: string | undefined, lines: readonly string[], known: readonly string[], find?: FindSecrets): string {
  const isKnown = new Set(known);
  const brought = lines.filter((line) => !isKnown.has(line));
  const first = name === undefined ? [] : [name.trim()];
  return cleanText([...new Set([...first, ...(brought.length > 0 ? brought : lines)])].join("\n"), find);
}

/** A question as an embedder is given it, without its secrets. */
export function cleanText(text: string, find?: FindSecrets): string {
  const cut = redact(text.slice(0, LOOKED_AT), find).text.slice(0, EMBEDDED_CHARACTERS).trim();
  return cut === "" ? EMPTY : cut.toWellFormed();
}
