/** Maximum number of texts in one request. Endpoints accept more, but a small one on a laptop takes long for them. */
const MOST_TEXTS = 32;
const MOST_CHARACTERS = 64_000;
/** Minimum characters of a text that is worth splitting; a shorter text fits every model. */
const LEAST_CHARACTERS = 250;

/** Splits the texts, in their order, into batches of one request each. A text over the limit gets its own batch. */
export function batchesOf(texts: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const last = batches.at(-1);
    if (last === undefined || last.length === MOST_TEXTS || characters + text.length > MOST_CHARACTERS) {
      batches.push([text]);
      characters = text.length;
    } else {
      last.push(text);
      characters += text.length;
    }
  }
  return batches;
}

/**
 * Splits a batch that the endpoint rejected as too large: into two halves, or the first half of a single text. Returns nothing
 * when the text cannot be shortened further.
 */
export function inParts(batch: readonly string[]): readonly (readonly string[])[] {
  const half = Math.ceil(batch.length / 2);
  if (batch.length > 1) return [batch.slice(0, half), batch.slice(half)];
  const [text = ""] = batch;
  return text.length <= LEAST_CHARACTERS ? [] : [[text.slice(0, text.length / 2).toWellFormed()]];
}
