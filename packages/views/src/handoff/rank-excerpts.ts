import { type Classification, type Context, cutText, type Steps } from "@workrail/core";
import { relevanceOfEach } from "../condense/relevance.ts";
import type { Excerpt } from "./excerpt.ts";
import { plain, widthOf } from "./read/plain.ts";
import { readEntry } from "./read/entry.ts";

export interface RankOptions {
  /** By key. An entry without a classification counts as USEFUL. */
  readonly classifications: ReadonlyMap<string, Classification>;
  readonly focus?: string | undefined;
}

/** Excerpt with its position in its entry and its rank: the first is given first for every budget. */
export interface Ranked extends Excerpt {
  /** Index among the excerpts of its entry. */
  readonly at: number;
  readonly score: number;
  /** True when no lower-ranked excerpt may come while this one is missing. */
  readonly isRequired?: boolean;
  /** True for the beginning of a longer excerpt, which is not needed next to others of its entry. */
  readonly isStub?: boolean;
}

const OF_LAYER = { CRITICAL: 12, IMPORTANT: 6, USEFUL: 0, EPHEMERAL: -24 } as const;
/** Points for the excerpt most related to the focus; others get a part. */
const OF_FOCUS = 10;
/** Difference between a line of a template and a unique wording. */
const NOVELTY = 44;
/** From this base on, a status or a name says more than the wording. */
const SURE = 76;
/** Score of the best excerpt of every CRITICAL entry, which comes before any lower layer. */
const BEST = 200;
const PINNED = 300;
/** Every CRITICAL entry is present before one of them gets more room: first the short ones, then the beginnings of long ones. */
const BEGINNING = 400;
const SHORT_ONE = 500;
/** Points for a pinned entry among these. */
const OF_PIN = 50;
/** Characters of a beginning, and of the shortest excerpt that gets one. */
const STUB = 80;
const LONG_STUB = 140;

/** Returns all excerpts of a context in the order in which a successor needs them. A budget only determines where the list is cut. */
export function* rankExcerpts(context: Context, { classifications, focus }: RankOptions): Steps<Ranked[]> {
  const all: Placed[] = [];
  for (const [key, value] of Object.entries(context)) {
    for (const [at, excerpt] of thinned(readEntry(key, value))) all.push({ at, excerpt });
    yield;
  }
  const excerpts = all.map(({ excerpt }) => excerpt);
  const novelty = noveltyOf(excerpts);
  yield;
  const relevance =
    focus === undefined
      ? []
      : relevanceOfEach(
          focus,
          excerpts.map(({ key, label = "", text }) => `${key} ${label} ${text}`),
        );
  const scores = Float64Array.from(all, ({ at, excerpt }, place) => {
    const classification = classifications.get(excerpt.key) ?? UNCLASSIFIED;
    const { layer } = classification;
    if (isPin(classification)) return PINNED - at / 1000;
    const worth = excerpt.base + OF_LAYER[layer] + noveltyWorth(excerpt, novelty[place] ?? UNKNOWN) + OF_FOCUS * (relevance[place] ?? 0);
    return worth - Math.max(0, widthOf(excerpt.text) - 120) / 40;
  });
  const order = bestFirst(scores);
  lowerRepeated(excerpts, scores, order);
  liftNamed(excerpts, scores, order.slice(0, NAMING));
  dampen(excerpts, scores);
  yield;
  const scored = all.map(({ at, excerpt }, place): Ranked => ({ ...excerpt, at, score: scores[place] ?? 0 }));
  const best = bestOfEach(scored);
  for (const [key, found] of classifications) if (found.layer === "CRITICAL") makePresent(scored, best.get(key), isPin(found));
  liftSmall(scored, classifications);
  return scored.sort((left, right) => right.score - left.score);
}

interface Placed {
  /** Index among the excerpts of its entry. */
  readonly at: number;
  readonly excerpt: Excerpt;
}

const UNCLASSIFIED: Classification = { layer: "USEFUL", confidence: 0, why: "" };

/** Longest text, in characters, whose repetition may be coincidence. */
const SHORT = 24;
const OF_REPEATED = 40;

/** Lowers repetitions of a text that ranks higher elsewhere. */
function lowerRepeated(excerpts: readonly Excerpt[], scores: Float64Array, order: readonly number[]): void {
  const said = new Set<string>();
  for (const place of order) {
    const texts = textsOf(excerpts[place] as Excerpt).filter((text) => text.length > SHORT);
    const score = scores[place] ?? 0;
    if (texts.length === 0 || score >= BEST) continue;
    if (texts.every((text) => said.has(text))) scores[place] = score - OF_REPEATED;
    for (const text of texts) said.add(text);
  }
}

const LIST_MARK = /^(?:[-*+•・]|\d+[.)、])\s+/u;

/** The texts of an excerpt, without the marks of a list: a short list is one excerpt. */
function textsOf({ text, value }: Excerpt): readonly string[] {
  const items = Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  return (items.length > 0 ? items : [text]).map((each) => each.replace(LIST_MARK, ""));
}

/** Names with a digit: account and ticket numbers, file versions, part codes. Excludes times and plain numbers. */
const NAME = /(?<![\p{L}\p{N}])(?=[\p{L}\p{N}._/-]*\p{N})(?=[\p{L}\p{N}._/-]*[\p{L}._/-])[\p{L}\p{N}][\p{L}\p{N}._/-]{2,40}(?<![._/-])/gu;
/** Number of top excerpts whose names matter. */
const NAMING = 24;
/** A name in more excerpts identifies none of them. */
const MOST_NAMED = 6;
const OF_NAMED = 18;

/** Raises excerpts that share a name with top excerpts, such as the row of a number to be corrected. */
function liftNamed(excerpts: readonly Excerpt[], scores: Float64Array, first: readonly number[]): void {
  const wanted = new Set(first.flatMap((place) => excerpts[place]?.text.match(NAME) ?? []));
  if (wanted.size === 0) return;
  const names = [...wanted].map((name) => name.replaceAll(".", String.raw`\.`)).join("|");
  const anyOfThem = new RegExp(`(?<![\\p{L}\\p{N}])(?:${names})(?![\\p{L}\\p{N}])`, "gu");
  const named = new Map<string, number[]>();
  excerpts.forEach(({ text }, place) => {
    for (const name of new Set(text.match(anyOfThem))) named.set(name, [...(named.get(name) ?? []), place]);
  });
  const lifted = new Set([...named.values()].filter((places) => places.length <= MOST_NAMED).flat());
  for (const place of first) lifted.delete(place);
  for (const place of lifted) scores[place] = (scores[place] ?? 0) + OF_NAMED;
}

/** Returns indexes of excerpts, highest score first, ties in order. */
function bestFirst(scores: Float64Array): readonly number[] {
  return Array.from(scores, (_, place) => place).sort((left, right) => (scores[right] ?? 0) - (scores[left] ?? 0));
}

/** A date, an amount, a number or an id, which cannot be guessed. */
const SPECIFIC = /\d{2}|\d[.,:]\d|[a-z]_[a-z]|\p{Lu}{2,}-?\d/u;
const OF_SPECIFICS = 5;

function noveltyWorth({ value, base, text }: Excerpt, novelty: number): number {
  if (value !== undefined) return 0;
  const specific = novelty > UNKNOWN && SPECIFIC.test(text) ? OF_SPECIFICS : 0;
  return (novelty - UNKNOWN) * (base >= SURE ? NOVELTY / 3 : NOVELTY) + specific;
}

/** Returns the index of the best excerpt of each entry. */
function bestOfEach(scored: readonly Ranked[]): ReadonlyMap<string, number> {
  const best = new Map<string, number>();
  scored.forEach(({ key, score }, place) => {
    if (score > (scored[best.get(key) ?? -1]?.score ?? -Infinity)) best.set(key, place);
  });
  return best;
}

/** Score of small IMPORTANT entries, and the characters that they may take together. */
const SMALL_ONE = 350;
const OF_SMALL_ONES = 320;

/** Raises IMPORTANT entries that are one short excerpt, the shortest first: more room for others never costs them their place. */
function liftSmall(scored: Ranked[], classifications: RankOptions["classifications"]): void {
  const small = [...scored.entries()].filter(
    ([, excerpt]) => isEntry(excerpt) && excerpt.text.length <= STUB && classifications.get(excerpt.key)?.layer === "IMPORTANT",
  );
  let left = OF_SMALL_ONES;
  for (const [place, excerpt] of small.sort(([, one], [, other]) => one.text.length - other.text.length)) {
    left -= excerpt.text.length + excerpt.key.length;
    if (left < 0) break;
    scored[place] = { ...excerpt, score: Math.max(excerpt.score, SMALL_ONE - excerpt.text.length / 10) };
  }
}

/** True for an excerpt that is a whole entry. */
export function isEntry({ value, member }: Excerpt): boolean {
  return value !== undefined && member === undefined;
}

function isPin({ layer, confidence, why }: Classification): boolean {
  return layer === "CRITICAL" && why === "pinned" && confidence === 1;
}

/** Raises the best excerpt of a CRITICAL entry above all lower layers; a long one is represented by its beginning. */
function makePresent(scored: Ranked[], best: number | undefined, isPinned: boolean): void {
  const excerpt = best === undefined ? undefined : scored[best];
  if (best === undefined || excerpt === undefined) return;
  const pin = isPinned ? OF_PIN : 0;
  const { text, value, ...rest } = excerpt;
  const score = BEGINNING + pin + excerpt.score / 100;
  if (text.length <= LONG_STUB) {
    // Shortest first: a longer one never takes the room of a shorter one.
    scored[best] = { ...excerpt, score: isEntry(excerpt) ? SHORT_ONE + pin - text.length / 10 : score, isRequired: true };
  } else {
    scored[best] = { ...excerpt, score: Math.max(excerpt.score, BEST + excerpt.score / 100) };
    scored.push({ ...rest, text: beginningOf(value === undefined ? text : plain(value)), score, isRequired: true, isStub: true });
  }
}

/** Returns the first words of a text. */
function beginningOf(text: string): string {
  const start = cutText(text, STUB);
  return `${start.length < text.length ? start.replace(LAST_WORD, "") : start}…`;
}

/** A word at the end, which may be cut. */
const LAST_WORD = /[\s,;:(]+[^\s]{0,20}$/u;

/** Characters of an entry at full score; further ones give way to other entries. */
const FREE = 400;
const PER_POINT = 60;
const MOST_DAMPED = 30;

/** Lowers later excerpts of an entry in favour of other entries, the more of it comes before. */
function dampen(excerpts: readonly Excerpt[], scores: Float64Array): void {
  const told = new Map<string, number>();
  for (const place of bestFirst(scores)) {
    const { key, member = "", text } = excerpts[place] as Excerpt;
    const score = scores[place] ?? 0;
    if (score >= BEST) continue;
    const group = `${key}\n${member}`;
    const before = told.get(group) ?? 0;
    told.set(group, before + widthOf(text));
    scores[place] = score - Math.min(MOST_DAMPED, Math.max(0, before - FREE) / PER_POINT);
  }
}

/** Entries with fewer excerpts are ranked completely; longer ones are limited to `MOST`. */
const FEW = 600;
const MOST = 1_500;
/** Number of first and last lines kept among lines that differ only in figures. */
const FIRST_ALIKE = 4;
const LAST_ALIKE = 12;

/** Returns excerpts with their indexes. Samples similar lines of long logs and tables, so that ranking stays fast. */
function thinned(excerpts: readonly Excerpt[]): [at: number, excerpt: Excerpt][] {
  const placed = [...excerpts.entries()];
  if (excerpts.length <= FEW) return placed;
  const forms = excerpts.map((excerpt) => formOf(excerpt));
  const left = new Map<string, number>();
  for (const form of forms) left.set(form, (left.get(form) ?? 0) + 1);
  const seen = new Map<string, number>();
  const isSample = placed.map(([at]) => {
    const form = forms[at] as string;
    const before = seen.get(form) ?? 0;
    seen.set(form, before + 1);
    return before < FIRST_ALIKE || before >= (left.get(form) ?? 0) - LAST_ALIKE;
  });
  // Other lines fill the remaining places, newest first.
  const rank = (at: number): number => (isSample[at] === true ? 0 : excerpts.length - at);
  const middle = (at: number): number => Math.min(at, excerpts.length - 1 - at);
  const best = placed
    .toSorted(([one, { base }], [other, than]) => rank(one) - rank(other) || than.base - base || middle(one) - middle(other))
    .slice(0, MOST);
  return best.sort(([one], [other]) => one - other);
}

/** Returns a text with its figures replaced. */
function formOf({ text }: Excerpt): string {
  return text.slice(0, 80).replaceAll(/\d+|\b[0-9a-f]{6,}\b/gu, "0");
}

/** Words of scripts that use spaces. */
const WORD = /[\p{L}\p{M}][\p{L}\p{M}'’-]*/gu;
const CJK_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{2,}/gu;
const CJK_LENGTH = 4;

/**
 * Returns shingles of a text: pairs of neighbouring words, and runs of four characters for scripts without spaces. Templates
 * repeat them, people rarely do. Shingles are FNV-1a hashes, because a large context has some hundred thousand.
 */
function shinglesOf(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  let before = 0;
  let length = 0;
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    const hash = hashOf(word, 0, word.length);
    if (length > 0 && length + word.length > SHORTEST_PAIR) found.add(Math.imul(before, 31) ^ hash);
    before = hash;
    length = word.length;
  }
  for (const [run] of text.matchAll(CJK_RUN)) {
    for (let at = 0; at <= Math.max(0, run.length - CJK_LENGTH); at++) found.add(hashOf(run, at, Math.min(run.length, at + CJK_LENGTH)));
  }
  return found;
}

/** Letters of a word pair must exceed this. */
const SHORTEST_PAIR = 7;

function hashOf(text: string, from: number, to: number): number {
  let hash = -2_128_831_035;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  return hash;
}

/** Worth of a shingle by the number of excerpts that contain it. */
const WORTH = [0, 1, 0.75, 0.4, 0.25, 0.15];
/** Novelty of an excerpt that is too short to judge. */
const UNKNOWN = 0.55;

/** Rates the unique content of each excerpt: 0 for a line of a template, 1 for a unique wording. */
function noveltyOf(excerpts: readonly Excerpt[]): number[] {
  const shingles = excerpts.map(({ text }) => shinglesOf(text));
  const among = new Map<number, number>();
  for (const each of shingles) for (const shingle of each) among.set(shingle, (among.get(shingle) ?? 0) + 1);
  const forms = excerpts.map((excerpt) => formOf(excerpt));
  const alikeOf = new Map<string, number>();
  for (const form of forms) alikeOf.set(form, (alikeOf.get(form) ?? 0) + 1);
  return shingles.map((each, place) => {
    const alike = alikeOf.get(forms[place] ?? "") ?? 1;
    if (each.size === 0) return alike > 2 ? 0 : UNKNOWN;
    let sum = 0;
    for (const shingle of each) sum += WORTH[among.get(shingle) ?? 0] ?? 0.05;
    // Few shingles are weak evidence either way.
    const novelty = (sum + UNKNOWN) / (each.size + 1);
    return alike > 2 ? novelty * 0.5 : novelty;
  });
}
