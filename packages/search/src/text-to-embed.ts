import { type FindSecrets, redact } from "@workrail/core";

/** Longest embedded text of a checkpoint or a question, in characters: most models read at most 512 tokens. */
export const EMBEDDED_CHARACTERS = 2_000;
/** Characters searched for secrets. More than is embedded, because the name of a secret may be far from it. */
const LOOKED_AT = 64_000;
/** Placeholder for empty text, which cannot be embedded. */
const EMPTY = "(empty)";

interface LinesToEmbed {
  /** Name of the checkpoint. */
  readonly name: string | undefined;
  /** Lines of the checkpoint, in order. */
  readonly lines: readonly string[];
  /** Lines of its predecessor. */
  readonly known: readonly string[];
}

/**
 * Returns the text to embed for a checkpoint, without secrets: its name and the beginning of its new lines, or of all its lines
 * when none is new.
 */
export function textToEmbed({ name, lines, known }: LinesToEmbed, find: FindSecrets): string {
  const isKnown = new Set(known);
  const brought = lines.filter((line) => !isKnown.has(line));
  const first = name === undefined ? [] : [name.trim()];
  return cleanText([...new Set([...first, ...(brought.length > 0 ? brought : lines)])].join("\n"), find);
}

/** Prepares a question for an embedder, without secrets. */
export function cleanText(text: string, find: FindSecrets): string {
  const cut = redact(text.slice(0, LOOKED_AT), find).text.slice(0, EMBEDDED_CHARACTERS).trim();
  return cut === "" ? EMPTY : cut.toWellFormed();
}
