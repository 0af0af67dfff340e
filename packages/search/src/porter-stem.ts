/**
 * Stems an English word in lower case with Martin Porter's second algorithm
 * (https://snowballstem.org/algorithms/english/stemmer.html): "connected", "connecting" and "connections" become "connect". Words
 * with other characters than a to z stay unchanged.
 */
export function porterStem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  // `Y` marks a consonant: at the beginning, and after a vowel.
  const marked = word.replace(/^y/, "Y").replace(/([aeiouy])y/g, "$1Y");
  const first = firstRegion(marked);
  const second = nextRegion(marked, first);
  const singular = withoutPlural(marked);
  if (UNCHANGED.has(singular)) return singular;
  const bare = withoutInflection(singular, first).replace(/(?<=.[^aeiouy])[yY]$/, "i");
  return withoutLastLetter(withoutSuffix(shortened(bare, first, second), second), first, second).toLowerCase();
}

/** Region R1: starts after the first consonant that follows a vowel. Only endings in the region may be removed. */
function firstRegion(word: string): number {
  return /^(?:gener|commun|arsen)/.exec(word)?.[0].length ?? nextRegion(word, 0);
}

function nextRegion(word: string, from: number): number {
  const at = word.slice(from).search(/[aeiouy][^aeiouy]/);
  return at < 0 ? word.length : from + at + 2;
}

function withoutPlural(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  if (/ie[ds]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  return /[aeiouy].*[^us]s$|[aeiouy].+us$/.test(word) && !/(?:us|ss)$/.test(word) ? word.slice(0, -1) : word;
}

function withoutInflection(word: string, first: number): string {
  const agreed = /eed(?:ly)?$/.exec(word);
  if (agreed !== null) return agreed.index >= first ? `${word.slice(0, agreed.index)}ee` : word;
  const ending = /(?:ingly|edly|ing|ed)$/.exec(word);
  if (ending === null || !/[aeiouy]/.test(word.slice(0, ending.index))) return word;
  const bare = word.slice(0, ending.index);
  if (/(?:at|bl|iz)$/.test(bare)) return `${bare}e`;
  if (/([bdfgmnprt])\1$/.test(bare)) return bare.slice(0, -1);
  return first >= bare.length && endsShort(bare) ? `${bare}e` : bare;
}

function shortened(word: string, first: number, second: number): string {
  const once = replacedOnce(word, first);
  return replaced(once, THIRD, once.endsWith("ative") ? second : first);
}

function replacedOnce(word: string, first: number): string {
  if (endingOf(word, SECOND) !== undefined) return replaced(word, SECOND, first);
  const isLate = word.length - 2 >= first;
  if (word.endsWith("logi") && word.length - 3 >= first) return word.slice(0, -1);
  return isLate && /[cdeghkmnrt]li$/.test(word) ? word.slice(0, -2) : word;
}

/** Replaces the longest matching ending if it starts at `from` or later. */
function replaced(word: string, endings: Endings, from: number): string {
  const found = endingOf(word, endings);
  if (found === undefined) return word;
  const [ending, becomes] = found;
  const at = word.length - ending.length;
  return at >= from ? word.slice(0, at) + becomes : word;
}

function withoutSuffix(word: string, second: number): string {
  const [suffix] = endingOf(word, SUFFIXES) ?? [];
  if (suffix === undefined) return word;
  const bare = word.slice(0, -suffix.length);
  return bare.length >= second && (suffix !== "ion" || /[st]$/.test(bare)) ? bare : word;
}

function withoutLastLetter(word: string, first: number, second: number): string {
  const at = word.length - 1;
  if (word.endsWith("e")) return at >= second || (at >= first && !endsShort(word.slice(0, at))) ? word.slice(0, at) : word;
  return word.endsWith("ll") && at >= second ? word.slice(0, at) : word;
}

/** True when a word ends in a short syllable: "hop" does, "fail" does not. */
function endsShort(word: string): boolean {
  return /[^aeiouy][aeiouy][^aeiouywxY]$|^[aeiouy][^aeiouy]$/.test(word);
}

type Ending = readonly [ending: string, becomes: string];

/** Endings by their last letter, longest first. Most words have none of these letters at the end. */
type Endings = ReadonlyMap<string, readonly Ending[]>;

function byLastLetter(endings: readonly Ending[]): Endings {
  return Map.groupBy(endings, ([ending]) => ending.slice(-1));
}

function endingOf(word: string, endings: Endings): Ending | undefined {
  return endings.get(word.slice(-1))?.find((ending) => word.endsWith(ending[0]));
}

const SECOND = byLastLetter([
  ["ational", "ate"],
  ["fulness", "ful"],
  ["iveness", "ive"],
  ["ization", "ize"],
  ["ousness", "ous"],
  ["biliti", "ble"],
  ["lessli", "less"],
  ["tional", "tion"],
  ["alism", "al"],
  ["aliti", "al"],
  ["ation", "ate"],
  ["entli", "ent"],
  ["fulli", "ful"],
  ["iviti", "ive"],
  ["ousli", "ous"],
  ["abli", "able"],
  ["alli", "al"],
  ["anci", "ance"],
  ["ator", "ate"],
  ["enci", "ence"],
  ["izer", "ize"],
  ["bli", "ble"],
]);

const THIRD = byLastLetter([
  ["ational", "ate"],
  ["tional", "tion"],
  ["alize", "al"],
  ["ative", ""],
  ["icate", "ic"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
]);

const SUFFIXES = byLastLetter(
  "ement ance ence able ible ment ant ate ent ion ism iti ive ize ous al er ic".split(" ").map((suffix): Ending => [suffix, ""]),
);

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  (
    "skis ski,skies sky,idly idl,gently gentl,ugly ugli,early earli,only onli,singly singl,sky sky,news news,howe howe,atlas atlas," +
    "cosmos cosmos,bias bias,andes andes,dying die,lying lie,tying tie"
  )
    .split(",")
    .map((pair): readonly [string, string] => [pair.slice(0, pair.indexOf(" ")), pair.slice(pair.indexOf(" ") + 1)]),
);

const UNCHANGED: ReadonlySet<string> = new Set("inning outing canning herring earring proceed exceed succeed".split(" "));
