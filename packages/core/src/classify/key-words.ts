/** The head of a key is at its end, so that of a longer one only the end is read. */
const MAX_READ = 200;

/** Letters in a row; capitals before a capitalised word are a word of their own (`HTMLPage`), a plural `s` belongs to them (`userIDs`). */
const WORDS = /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lt}\p{Lm}\p{M}]+|\p{Lu}/gu;

/**
 * The words of a key in lower case, however they are joined: `lastSavedAt`, `last_saved_at`, `last-saved-at`,
 * `last.saved.at` and `LAST_SAVED_AT` are the same. Figures are left out.
 */
export function wordsOf(key: string): string[] {
  const words = key.slice(-MAX_READ).match(WORDS) ?? [];
  return words.map((word) => word.toLowerCase());
}

/** Plurals that no rule makes. */
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ["analyses", "analysis"],
  ["criteria", "criterion"],
  ["diagnoses", "diagnosis"],
  ["hypotheses", "hypothesis"],
  ["indices", "index"],
  ["matrices", "matrix"],
  ["media", "medium"],
  ["people", "person"],
  ["syntheses", "synthesis"],
  ["theses", "thesis"],
]);

/** What a word may be the plural of, itself first: whoever looks words up tries each. */
export function singularsOf(word: string): string[] {
  const forms = [word];
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) forms.push(irregular);
  if (word.endsWith("ies")) forms.push(`${word.slice(0, -3)}y`);
  if (word.endsWith("s") && !word.endsWith("ss")) forms.push(word.slice(0, -1));
  if (word.endsWith("es")) forms.push(word.slice(0, -2));
  return forms;
}
