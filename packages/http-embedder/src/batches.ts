/** Of one request. Endpoints take more; small ones on a laptop take long for it. */
const MOST_TEXTS = 32;
const MOST_CHARACTERS = 64_000;
/** A shorter text is not too long for any model. */
const LEAST_CHARACTERS = 250;

/** The texts in their order, in batches of what goes into one request. A text that is too long for one has its own. */
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

/** Parts of a batch that was too much: two halves, or the first half of a single text. None where it can be no less. */
export function inParts(batch: readonly string[]): readonly (readonly string[])[] {
  const half = Math.ceil(batch.length / 2);
  if (batch.length > 1) return [batch.slice(0, half), batch.slice(half)];
  const [text = ""] = batch;
  return text.length <= LEAST_CHARACTERS ? [] : [[text.slice(0, text.length / 2).toWellFormed()]];
}
