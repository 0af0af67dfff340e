import { type CountTokens, type Steps, withoutSmallTalk } from "@workrail/core";
import { termsOf } from "./anchors.ts";
import type { Group, Part, Piece, Unit } from "./outline.ts";
import { relevanceOf } from "./relevance.ts";
import type { StrategyName } from "./strategies.ts";
import { telegraph } from "./telegraph.ts";
import { WEIGHTS } from "./weights.ts";

/** Unit that may be kept, with its cost and value. */
export interface Candidate {
  readonly unit: Unit;
  /** Index among all units. */
  readonly place: number;
  /** Index of its part. */
  readonly part: number;
  /** Text to write when it is kept. */
  readonly text: string;
  readonly tokens: number;
  readonly terms: readonly WeighedTerm[];
  /** Relevance to the focus, from 0 to 1. Always 1 without a focus. */
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
  /** True when the parts are in order of time. */
  readonly isHistory: boolean;
}

interface Known {
  readonly unit: Unit;
  readonly part: number;
  /** True when the unit is a request. */
  readonly isAsked: boolean;
  readonly terms: readonly { readonly id: number; readonly worth: number; readonly isAnchor: boolean }[];
}

interface KnownPiece extends Pick<Piece, "voice"> {
  readonly units: readonly Known[];
}

/** Rates each unit of the parts, in order. When there are very many units, returns only those that may be among the best. */
export function* weighUnits(parts: readonly Part[], room: number, options: Weighing): Steps<Candidate[]> {
  const termsHere = new TermIds();
  const pieces: KnownPiece[] = [];
  for (const [index, part] of parts.entries()) {
    for (const piece of part.pieces) pieces.push(yield* knowPiece(piece, index, termsHere));
  }
  const emphasis = isTalk(pieces, options) ? WEIGHTS.talk : WEIGHTS.work;
  const weights = weighTerms(pieces, termsHere.size, { ...options, emphasis });
  const known = pieces.flatMap((piece) => piece.units);
  const relevances = relevancesOf(known, options.focus);
  const rarities = raritiesOf(known);
  const isAnchored = options.strategies.includes("anchor");
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
  const isTerse = options.strategies.includes("telegraph");
  yield;
  const candidates: Candidate[] = [];
  for (const candidate of promising(weighed, room, options)) {
    const { unit } = candidate;
    const text = isTerse && unit.joint !== ", " ? telegraph(unit.text) : unit.text;
    candidates.push({ ...candidate, text, tokens: costOf(text, options.count) });
    yield;
  }
  return candidates;
}

type Weighed = Omit<Candidate, "text" | "tokens">;

/** Up to this number, all units are rated exactly. */
const MANY = 150;
/** Factor of tokens rated exactly over tokens that fit, because many units will be redundant. */
const MARGIN = 4;

/** Preselects units by estimated tokens, because counting tokens takes the most time. */
function promising(weighed: readonly Weighed[], room: number, options: Weighing): readonly Weighed[] {
  if (weighed.length <= MANY) return weighed;
  const guessed = weighed.map((one) => ({ one, tokens: one.unit.text.length / 4 + 1 }));
  const scored = guessed.map(({ one, tokens }) => ({
    one,
    tokens,
    score: options.strategies.includes("select") ? scoreOf(one, tokens) : placeOf(one, options),
  }));
  scored.sort((a, b) => b.score - a.score || a.one.place - b.one.place);
  let left = room * MARGIN;
  const kept = scored.filter(({ tokens }, index) => index < MANY || (left -= tokens) > 0);
  return kept.map(({ one }) => one).sort((a, b) => a.place - b.place);
}

function scoreOf({ terms, relevance }: Weighed, tokens: number): number {
  return (relevance * terms.reduce((sum, { weight }) => sum + weight, 0)) / (tokens + WEIGHTS.overhead);
}

/** Rating without the strategy `select`: the order. */
function placeOf({ place }: Weighed, options: Weighing): number {
  return options.isHistory ? place : -place;
}

/** Returns the tokens with the separator. A unit without text is expressed by its labels. */
function costOf(text: string, count: CountTokens): number {
  return text === "" ? 0.5 : count(` ${text}`) + 1;
}

function relevancesOf(known: readonly Known[], focus: string | undefined): number[] | undefined {
  if (focus === undefined) return undefined;
  const texts = known.map(({ unit }) => [...labelsOf(unit.group), unit.text].join(" "));
  // Requests stay relevant for any focus, and unused room is better filled with other units than left empty.
  return relevanceOf(focus, texts).map((relevance, at) =>
    Math.max(relevance ** WEIGHTS.focus, known[at]?.isAsked === true ? WEIGHTS.asked : WEIGHTS.unsought),
  );
}

/**
 * Lowers the rating of lines that differ only in figures and ids, such as successful requests: the more there are, the less each
 * says.
 */
function raritiesOf(known: readonly Known[]): number[] {
  const shapes = known.map(({ unit }) => (unit.joint === ", " ? undefined : withoutFigures(unit.text)));
  const alike = new Map<string, number>();
  for (const shape of shapes) if (shape !== undefined) alike.set(shape, (alike.get(shape) ?? 0) + 1);
  return shapes.map((shape, at) => (shape === undefined || isEndOfLog(known, at) ? 1 : (alike.get(shape) ?? 1) ** -WEIGHTS.alike));
}

/** True for the last line of a log: the latest state, even if it occurred before. */
function isEndOfLog(known: readonly Known[], at: number): boolean {
  const { part, unit } = known[at] as Known;
  return known[at + 1]?.part !== part && LOG_LINE.test(unit.text);
}

/** Replaces figures and ids by `0`. */
function withoutFigures(text: string): string {
  // Replaces run by run: a single pattern would rescan long runs of letters.
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
    // Polite phrases are worth nothing.
    const terms = said === "" && unit.text !== "" ? [] : [...ids.of(said, unit.keys), ...ids.above(unit.group)];
    known.push({ unit, part, isAsked, terms: lead === 1 ? terms : terms.map((term) => ({ ...term, worth: term.worth * lead })) });
    yield;
  }
  return { voice, units: known };
}

/** Pasted log lines are not requests. */
const LOG_LINE = /^\W?\d{2,4}[-:/]\d{2}[-:/]/u;

const ERROR =
  /\b(?:[Ee]rror|ERROR|[Ee]xception|FATAL|[Ff]atal|[Pp]anic|Traceback|[Ff]ailed|FAILED?|[Ff]ailure|denied|refused)\b|[a-z]Error\b|\bE_?[A-Z]{4,}[A-Z_]*\b/u;

/** Assigns numbers to terms. Terms of a label are computed once per group. */
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
    // The speaker is written with every kept unit.
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

/** Returns the labels without the speaker, who is written with every kept unit. */
function labelsOf(group: Group): string[] {
  return group.parent === undefined ? [] : [group.label, ...labelsOf(group.parent)];
}

/** True for a chat without work: no tools, and nearly no long messages. */
function isTalk(pieces: readonly KnownPiece[], { isHistory }: Weighing): boolean {
  if (!isHistory || pieces.some(({ voice }) => voice === "acts" || voice === "reports")) return false;
  const long = pieces.filter(({ units }) => units.length > WEIGHTS.longMessage);
  return long.length < pieces.length * WEIGHTS.longMessages;
}

/** Weights of repetition, of lists, and of the first and last piece. */
type Emphasis = typeof WEIGHTS.work | typeof WEIGHTS.talk;

interface WeighingTerms extends Weighing {
  readonly emphasis: Emphasis;
}

/** Weighs each term by the total weight of the pieces that mention it, so that recurring terms weigh more. */
function weighTerms(pieces: readonly KnownPiece[], terms: number, options: WeighingTerms): number[] {
  const weights: number[] = Array.from({ length: terms }, () => 0);
  const mentions: number[] = Array.from({ length: terms }, () => 0);
  pieces.forEach(({ voice, units }, index) => {
    const here = new Set(units.flatMap((unit) => unit.terms.map((term) => term.id)));
    const crowd = (Math.max(here.size, WEIGHTS.uncrowded) / WEIGHTS.uncrowded) ** -options.emphasis.crowd;
    const weight = placeWeight(index, pieces.length, options) * crowd * WEIGHTS.voices[voice];
    for (const id of here) {
      weights[id] = (weights[id] ?? 0) + weight;
      mentions[id] = (mentions[id] ?? 0) + 1;
    }
  });
  const isRefrain = (id: number): boolean => pieces.length > 4 && (mentions[id] ?? 0) > pieces.length / 2;
  return weights.map((weight, id) => (isRefrain(id) ? weight * WEIGHTS.refrain : weight));
}

function placeWeight(index: number, pieces: number, options: WeighingTerms): number {
  const oldest = options.isHistory && options.strategies.includes("progressive") ? WEIGHTS.oldest : 1;
  const age = oldest + (1 - oldest) * ((index + 1) / pieces);
  return age * (index === 0 ? options.emphasis.first : 1) * (index === pieces - 1 ? options.emphasis.last : 1);
}
