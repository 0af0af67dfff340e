import { termOf } from "./terms.ts";

/**
 * Interchangeable endings of German, French and Spanish words, without accents, as terms are. The language of a question is
 * unknown, so all of them are tried.
 */
const ENDINGS: readonly (readonly string[])[] = [
  // German: nouns and adjectives, verbs
  ["", "e", "en", "er", "ern", "em", "es"],
  ["el", "eln", "els"],
  ["er", "ers"],
  ["en", "t", "e", "st", "te", "ten"],
  // French: plural and feminine, -al, -eur, -if, -eux, -el, verbs
  ["", "s", "e", "es", "x"],
  ["al", "aux", "ale", "ales"],
  ["eur", "eurs", "euse", "euses", "rice", "rices"],
  ["if", "ifs", "ive", "ives"],
  ["eux", "euse", "euses"],
  ["el", "els", "elle", "elles"],
  ["er", "e", "es", "ee", "ees", "ent", "ez", "ant"],
  // Spanish: plural, gender, verbs
  ["", "s", "es"],
  ["o", "a", "os", "as"],
  ["z", "ces"],
  ["ar", "a", "an", "o", "ado", "ada", "ados", "adas", "ando"],
  ["er", "ir", "en", "ido", "ida", "idos", "idas", "iendo"],
];

/** French elides `le`, `la` and `de` before these letters. */
const BEGINS_ELIDED = /^[aeiouyh]\p{L}{2}/u;
/** Fewest letters before an ending. */
const SHORTEST_BASE = 3;
/** Fewest letters before endings that include the empty one. */
const SHORTEST_BARE = 4;
/** Fewest letters before `z`, as in `luz` and `luces`. */
const SHORTEST_WITH_Z = 2;

/**
 * Returns the terms of other forms of a word in these languages, except forms that start with the whole word.
 *
 * @param word in lower case, without accents.
 */
export function inflectionsOf(word: string): readonly string[] {
  if (!/^\p{Script=Latin}+$/u.test(word)) return [];
  const forms = new Set<string>();
  for (const endings of ENDINGS) {
    for (const ending of endings) {
      const base = word.slice(0, word.length - ending.length);
      if (!word.endsWith(ending) || base.length < shortestBefore(endings)) continue;
      for (const other of endings) if (!other.startsWith(ending)) forms.add(termOf(base + other));
    }
  }
  // Elided words such as `l'utilisateur` form one term.
  if (BEGINS_ELIDED.test(word)) for (const form of [word, ...forms]) for (const article of ["l", "d"]) forms.add(termOf(article + form));
  forms.delete(termOf(word));
  return [...forms];
}

function shortestBefore([first]: readonly string[]): number {
  if (first === "z") return SHORTEST_WITH_Z;
  return first === "" ? SHORTEST_BARE : SHORTEST_BASE;
}
