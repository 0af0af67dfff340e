/** Words that occur in nearly every text. They are searched for only when a query has nothing else. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about after all also am an and any are as at be because been before being both but by can could did do does doing during " +
    "each for from had has have having he her here hers him his how i if in into is it its itself me more most my no nor not of off " +
    "on once only or other our ours out over own same she should so some such than that the their theirs them themselves then there " +
    "these they this those through to too under up very was we were what when where which while who whom why will with would you " +
    "your yours"
  ).split(" "),
);

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
