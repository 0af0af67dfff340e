/** Maximum characters of a key that are read, from its end. The head is at the end. */
const MAX_READ = 200;

const UPPER = 1;
const LOWER = 2;
const NEITHER = 0;

/**
 * Splits a key into words in lower case, for every way of joining them: `lastSavedAt`, `last_saved_at`, `last-saved-at`,
 * `last.saved.at` and `LAST_SAVED_AT` are the same. Digits are left out.
 */
export function wordsOf(key: string): string[] {
  const text = key.slice(-MAX_READ);
  const words: string[] = [];
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && !startsWord(text, start, at)) continue;
    const word = text.slice(start, at).toLowerCase();
    if (word !== "" && kindOf(text, start) !== NEITHER) words.push(word);
    start = at;
  }
  return words;
}

/** Tells whether a new word starts at `at`, after the word that began at `start`. */
function startsWord(text: string, start: number, at: number): boolean {
  const kind = kindOf(text, at);
  const before = at === start ? kind : kindOf(text, at - 1);
  if (kind === NEITHER || before === NEITHER) return at > start;
  if (kind === LOWER) return false;
  // Capitals before a capitalised word are a separate word (`HTMLPage`), including a plural `s` (`userIDs`).
  return before === LOWER || (kindOf(text, at + 1) === LOWER && at > start && !isPluralOfCapitals(text, at));
}

function isPluralOfCapitals(text: string, at: number): boolean {
  return text[at + 1] === "s" && kindOf(text, at + 2) !== LOWER;
}

/** Returns the case of a character. Letters of scripts without case count as lower case. */
function kindOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  if (!(code >= 128)) return NEITHER;
  const letter = text.charAt(at);
  return letter === letter.toLowerCase() ? LOWER : UPPER;
}

/** Irregular plurals. */
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

/** Returns the possible singulars of a word for lookups, the word itself first. */
export function singularsOf(word: string): string[] {
  const forms = [word];
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) forms.push(irregular);
  if (word.endsWith("ies")) forms.push(`${word.slice(0, -3)}y`);
  if (word.endsWith("s") && !word.endsWith("ss")) forms.push(word.slice(0, -1));
  if (word.endsWith("es")) forms.push(word.slice(0, -2));
  return forms;
}
