import type { CountTokens } from "../ports/environment.ts";
import type { Steps } from "../turns.ts";
import { termsOf } from "./anchors.ts";
import type { Group, Part, Piece, Unit } from "./outline.ts";
import { relevanceOf } from "./relevance.ts";
import { withoutSmallTalk } from "./small-talk.ts";
import type { StrategyName } from "./strategies.ts";
import { telegraph } from "./telegraph.ts";
import { WEIGHTS } from "./weights.ts";

/** A unit that may be kept, what it costs and what one has of it. */
export interface Candidate {
  readonly unit: Unit;
  /** Its place among all units. */
  readonly place: number;
  /** The place of its part among the parts. */
  readonly part: number;
  /** As it is said when it is kept. */
  readonly text: string;
  readonly tokens: number;
  readonly terms: readonly WeighedTerm[];
  /** From 0 to 1: how well it answers the focus. 1 for all without one. */
  readonly relevance: number;
}

export interface WeighedTerm {
  readonly id: number;
  readonly weight: number;
}

export interface Weighing {
  readonly strategies: readonly StrategyName[];
  readonly focus?: string | undefined;
  readonly count: CountTokens;
  /** Whether the parts come in the order of time. */
  readonly isHistory: boolean;
}

interface Known {
  readonly unit: Unit;
  readonly part: number;
  /** Whether it is what somebody asks for. */
  readonly isAsked: boolean;
  readonly terms: readonly { readonly id: number; readonly worth: number; readonly isAnchor: boolean }[];
}

interface KnownPiece extends Pick<Piece, "voice"> {
  readonly units: readonly Known[];
}

/** What each unit of the parts is worth, in their order. Of very many only those that may well be among the best. */
export function* weighUnits(parts: readonly Part[], room: number, how: Weighing): Steps<Candidate[]> {
  const termsHere = new TermIds();
  const pieces: KnownPiece[] = [];
  for (const [index, part] of parts.entries()) {
    for (const piece of part.pieces) pieces.push(yield* knowPiece(piece, index, termsHere));
  }
  const emphasis = isTalk(pieces, how) ? WEIGHTS.talk : WEIGHTS.work;
  const weights = weighTerms(pieces, termsHere.size, { ...how, emphasis });
  const known = pieces.flatMap((piece) => piece.units);
  const relevances = relevancesOf(known, how.focus);
  const rarities = raritiesOf(known);
  const isAnchored = how.strategies.includes("anchor");
  yield;
  const weighed = known.map(({ unit, part, terms }, place) => ({
    unit,
    place,
    part,
    terms: terms.map((term) => ({
      id: term.id,
      weight: isAnchored
        ? term.worth * (weights[term.id] ?? 0) ** (term.isAnchor ? WEIGHTS.recurringAnchor : emphasis.recurringWord)
        : (weights[term.id] ?? 0),
    })),
    relevance: (relevances?.[place] ?? 1) * (rarities[place] ?? 1),
  }));
  const isTerse = how.strategies.includes("telegraph");
  yield;
  const candidates: Candidate[] = [];
  for (const candidate of promising(weighed, room, how)) {
    const { unit } = candidate;
    const text = isTerse && unit.joint !== ", " ? telegraph(unit.text) : unit.text;
    candidates.push({ ...candidate, text, tokens: costOf(text, how.count) });
    yield;
  }
  return candidates;
}

type Weighed = Omit<Candidate, "text" | "tokens">;

/** Fewer are all looked at closely. */
const MANY = 150;
/** How much more than fits is looked at closely, as much of it will say the same. */
const MARGIN = 4;

/** Counting tokens is what takes the time, so of very many units the tokens are guessed first. */
function promising(weighed: readonly Weighed[], room: number, how: Weighing): readonly Weighed[] {
  if (weighed.length <= MANY) return weighed;
  const guessed = weighed.map((one) => ({ one, tokens: one.unit.text.length / 4 + 1 }));
  const scored = guessed.map(({ one, tokens }) => ({
    one,
    tokens,
    score: how.strategies.includes("select") ? scoreOf(one, tokens) : placeOf(one, how),
  }));
  scored.sort((a, b) => b.score - a.score || a.one.place - b.one.place);
  let left = room * MARGIN;
  const kept = scored.filter(({ tokens }, index) => index < MANY || (left -= tokens) > 0);
  return kept.map(({ one }) => one).sort((a, b) => a.place - b.place);
}

function scoreOf({ terms, relevance }: Weighed, tokens: number): number {
  return (relevance * terms.reduce((sum, { weight }) => sum + weight, 0)) / (tokens + WEIGHTS.overhead);
}

/** What nothing selects is taken in order. */
function placeOf({ place }: Weighed, how: Weighing): number {
  return how.isHistory ? place : -place;
}

/** With what parts it from its neighbour. A unit without a text of its own is said by the labels above it. */
function costOf(text: string, count: CountTokens): number {
  return text === "" ? 0.5 : count(` ${text}`) + 1;
}

function relevancesOf(known: readonly Known[], focus: string | undefined): number[] | undefined {
  if (focus === undefined) return undefined;
  const texts = known.map(({ unit }) => [...labelsOf(unit.group), unit.text].join(" "));
  // What was asked for holds for whatever one looks for, and room that is left is better filled with the rest than not at all.
  return relevanceOf(focus, texts).map((relevance, at) =>
    Math.max(relevance ** WEIGHTS.focus, known[at]?.isAsked === true ? WEIGHTS.asked : WEIGHTS.unsought),
  );
}

/** Of lines of a text that differ in figures and ids only, such as requests that went well, each says less the more there are. */
function raritiesOf(known: readonly Known[]): number[] {
  const shapes = known.map(({ unit }) => (unit.joint === ", " ? undefined : withoutFigures(unit.text)));
  const alike = new Map<string, number>();
  for (const shape of shapes) if (shape !== undefined) alike.set(shape, (alike.get(shape) ?? 0) + 1);
  return shapes.map((shape, at) => (shape === undefined || isEndOfLog(known, at) ? 1 : (alike.get(shape) ?? 1) ** -WEIGHTS.alike));
}

/** Where things stood when it was written, even if they stood so before. */
function isEndOfLog(known: readonly Known[], at: number): boolean {
  const { part, unit } = known[at] as Known;
  return known[at + 1]?.part !== part && LOG_LINE.test(unit.text);
}

/** With a `0` for each figure and id. */
function withoutFigures(text: string): string {
  // Run by run: one pattern for those with a figure would look through a long run of letters from each of them.
  return FIGURE.test(text) ? text.replace(RUN, (run) => (FIGURE.test(run) ? "0" : run)) : text;
}

const FIGURE = /\p{N}/u;
const RUN = /[\p{L}\p{N}_-]+/gu;

function* knowPiece({ voice, units }: Piece, part: number, ids: TermIds): Steps<KnownPiece> {
  const known: Known[] = [];
  for (const [place, unit] of units.entries()) {
    const isAsked = voice === "asks" && place < WEIGHTS.leads && !LOG_LINE.test(unit.text);
    const lead = isAsked ? WEIGHTS.lead : ERROR.test(unit.text) ? WEIGHTS.error : 1;
    const said = unit.joint === ", " ? unit.text : withoutSmallTalk(unit.text);
    // What is only polite is worth nothing, whoever it is said to.
    const terms = said === "" && unit.text !== "" ? [] : [...ids.of(said, unit.keys), ...ids.above(unit.group)];
    known.push({ unit, part, isAsked, terms: lead === 1 ? terms : terms.map((term) => ({ ...term, worth: term.worth * lead })) });
    yield;
  }
  return { voice, units: known };
}

/** What people paste they do not ask for. */
const LOG_LINE = /^\W?\d{2,4}[-:/]\d{2}[-:/]/u;

const ERROR =
  /\b(?:[Ee]rror|ERROR|[Ee]xception|FATAL|[Ff]atal|[Pp]anic|Traceback|[Ff]ailed|FAILED?|[Ff]ailure|denied|refused)\b|[a-z]Error\b|\bE_?[A-Z]{4,}[A-Z_]*\b/u;

/** Numbers the terms. Those of a label are found once for all that stands under it. */
class TermIds {
  readonly #ids = new Map<string, number>();
  readonly #above = new Map<Group, Known["terms"]>();

  get size(): number {
    return this.#ids.size;
  }

  of(text: string, keys?: readonly string[]): Known["terms"] {
    return termsOf(text, keys).map(({ key, worth, isAnchor }) => ({ id: this.#idOf(key), worth, isAnchor }));
  }

  above(group: Group): Known["terms"] {
    // Who spoke is said of whatever is kept.
    if (group.parent === undefined) return [];
    let terms = this.#above.get(group);
    if (terms === undefined) this.#above.set(group, (terms = [...this.of(group.label), ...this.above(group.parent)]));
    return terms;
  }

  #idOf(key: string): number {
    let id = this.#ids.get(key);
    if (id === undefined) this.#ids.set(key, (id = this.#ids.size));
    return id;
  }
}

/** Without who spoke: that is said of whatever is kept. */
function labelsOf(group: Group): string[] {
  return group.parent === undefined ? [] : [group.label, ...labelsOf(group.parent)];
}

/** Whether people talk, and nothing is done: no tools, and next to no message that is a document. */
function isTalk(pieces: readonly KnownPiece[], { isHistory }: Weighing): boolean {
  if (!isHistory || pieces.some(({ voice }) => voice === "acts" || voice === "reports")) return false;
  const long = pieces.filter(({ units }) => units.length > WEIGHTS.longMessage);
  return long.length < pieces.length * WEIGHTS.longMessages;
}

/** How much it weighs to be said again, among many, first and last. */
type Emphasis = typeof WEIGHTS.work | typeof WEIGHTS.talk;

interface WeighingTerms extends Weighing {
  readonly emphasis: Emphasis;
}

/** A term weighs what the pieces that mention it weigh together, so what recurs weighs more. */
function weighTerms(pieces: readonly KnownPiece[], terms: number, how: WeighingTerms): number[] {
  const weights: number[] = Array.from({ length: terms }, () => 0);
  const mentions: number[] = Array.from({ length: terms }, () => 0);
  pieces.forEach(({ voice, units }, index) => {
    const here = new Set(units.flatMap((unit) => unit.terms.map((term) => term.id)));
    const crowd = (Math.max(here.size, WEIGHTS.uncrowded) / WEIGHTS.uncrowded) ** -how.emphasis.crowd;
    const weight = placeWeight(index, pieces.length, how) * crowd * WEIGHTS.voices[voice];
    for (const id of here) {
      weights[id] = (weights[id] ?? 0) + weight;
      mentions[id] = (mentions[id] ?? 0) + 1;
    }
  });
  const isRefrain = (id: number): boolean => pieces.length > 4 && (mentions[id] ?? 0) > pieces.length / 2;
  return weights.map((weight, id) => (isRefrain(id) ? weight * WEIGHTS.refrain : weight));
}

function placeWeight(index: number, pieces: number, how: WeighingTerms): number {
  const oldest = how.isHistory && how.strategies.includes("progressive") ? WEIGHTS.oldest : 1;
  const age = oldest + (1 - oldest) * ((index + 1) / pieces);
  return age * (index === 0 ? how.emphasis.first : 1) * (index === pieces - 1 ? how.emphasis.last : 1);
}
