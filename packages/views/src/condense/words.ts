/** Low-information words. Excludes negations, conditions, amounts and order in time. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about above actually already also am an and any anyway anything are as at be been being below between by can could " +
    "definitely did do does doing done either else even ever everyone everything for from further get gets getting give " +
    "given go goes going gonna good got great had happy has have having he hello help her here hers herself hey hi him " +
    "himself his how however i i'd i'll i'm i've in indeed into is it it'd it'll it's its itself just kind know let let's " +
    "like lol look looks lot lots love made make makes making many may maybe me might mine my myself nice now of off oh ok " +
    "okay on one other our ours ourselves out own perhaps please pretty quite really right said same say says see seems " +
    "several shall she she'd she'll she's since so some someone something somewhat soon still such sure take than thank " +
    "thanks that that's the their theirs them themselves then there there's therefore these they they'd they'll they're " +
    "they've thing things think this those though through thus to together too towards try up upon us use used using very " +
    "want wants was way we we'd we'll we're we've well went were what what's whatever when where where's whether which " +
    "while who who's whom whose why will with within would wow yeah yes yet you you'd you'll you're you've your yours " +
    "yourself yourselves absolutely amazing awesome cool glad hope"
  ).split(" "),
);

/** Words that reverse the meaning of a sentence. */
export const NEGATIONS: ReadonlySet<string> = new Set(
  (
    "no not never none nor neither nothing nobody nowhere without cannot except unless only until instead rather avoid deny refuse " +
    "fail failed fails stop don don't doesn't didn't won't wouldn't can't couldn't shouldn't isn't aren't wasn't weren't hasn't haven't " +
    "hadn't mustn't ain't needn't dont doesnt didnt wont cant isnt"
  ).split(" "),
);

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(plain(word));
}

export function isNegation(word: string): boolean {
  return NEGATIONS.has(plain(word));
}

/** Normalises to lower case and a straight apostrophe. */
function plain(word: string): string {
  const small = word.toLowerCase();
  return small.includes("’") ? small.replaceAll("’", "'") : small;
}

/** Words that carry meaning only before a name or a number: "from Rome to Oslo". */
const DIRECTIONS: ReadonlySet<string> = new Set("from to at by than between within of in on for with since about above up".split(" "));

/** Words that say little about a subject but affect a sentence: number, addressee, or certainty. */
const TELLING: ReadonlySet<string> = new Set("one out off together will would could may might".split(" "));

/** True when a sentence would change its meaning without the word. */
export function changesMeaning(word: string): boolean {
  return TELLING.has(word.toLowerCase());
}

const QUESTIONS: ReadonlySet<string> = new Set("options what when where which who whose why".split(" "));

export function isQuestion(word: string): boolean {
  return QUESTIONS.has(word.toLowerCase());
}

export function isDirection(word: string): boolean {
  return DIRECTIONS.has(word.toLowerCase());
}
