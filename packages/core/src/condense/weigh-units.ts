import type { CountTokens } from "../ports/environment.ts";
import { termsOf, type Term } from "./anchors.ts";
import type { Group, Part, Piece, Unit, Voice } from "./outline.ts";
import { relevanceOf } from "./relevance.ts";
import type { StrategyName } from "./strategies.ts";
import { telegraph } from "./telegraph.ts";

/** A unit that may be kept, what it costs and what one has of it. */
export interface Candidate {
  readonly unit: Unit;
  /** Its place among the parts. */
  readonly part: number;
  /** As it is said when it is kept. */
  readonly text: string;
  readonly tokens: number;
  readonly terms: readonly WeighedTerm[];
  /** From 0: how well it answers the focus. 1 for all without one. */
  readonly relevance: number;
}

export interface WeighedTerm {
  readonly id: number;
  readonly weight: number;
}

const VOICES: Readonly<Record<Voice, number>> = { asks: 1.3, says: 1.3, acts: 1.5, reports: 1, rules: 0.5, data: 1 };

const WEIGHTS = {
  /** What is oldest weighs this much, what is newest 1: later actions use what was seen late. */
  oldest: 0.5,
  /**
   * A term among many weighs less: of fifty flights in a list one is booked. By the square root, as lists grow long for
   * reasons that have nothing to do with their worth.
   */
  crowd: 0.5,
  /** Terms that a piece may have before that begins. */
  uncrowded: 4,
  /** Terms of more than half of all pieces are a refrain, such as a prompt: kept, but not for each mention. */
  refrain: 0.7,
  /** Who said it: what was asked for and done decides what is done next; rules come again with each prompt. */
  voices: VOICES,
};

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
  readonly terms: readonly { readonly id: number; readonly worth: number }[];
}

/** What each unit of the parts is worth, in their order. */
export function weighUnits(parts: readonly Part[], how: Weighing): Candidate[] {
  const ids = new Map<string, number>();
  const pieces = parts.flatMap((part, index) => part.pieces.map((piece) => ({ voice: piece.voice, units: knownUnits(piece, index, ids) })));
  const weights = weighTerms(pieces, ids.size, how);
  const known = pieces.flatMap((piece) => piece.units);
  const relevances =
    how.focus === undefined
      ? undefined
      : relevanceOf(
          how.focus,
          known.map(({ unit }) => unit.text),
        );
  const isTerse = how.strategies.includes("telegraph");
  const isAnchored = how.strategies.includes("anchor");
  return known.map(({ unit, part, terms }, index) => {
    const text = isTerse ? telegraph(unit.text) : unit.text;
    return {
      unit,
      part,
      text,
      // With what parts it from its neighbour.
      tokens: how.count(` ${text}`) + 1,
      terms: terms.map(({ id, worth }) => ({ id, weight: (isAnchored ? worth : 1) * (weights[id] ?? 0) })),
      relevance: relevances?.[index] ?? 1,
    };
  });
}

function knownUnits(piece: Piece, part: number, ids: Map<string, number>): Known[] {
  return piece.units.map((unit) => {
    const terms = [unit.text, ...labelsOf(unit.group)]
      .flatMap((text) => termsOf(text))
      .map(({ key, worth }: Term) => ({ id: idOf(key, ids), worth }));
    return { unit, part, terms };
  });
}

function idOf(key: string, ids: Map<string, number>): number {
  let id = ids.get(key);
  if (id === undefined) ids.set(key, (id = ids.size));
  return id;
}

/** Without who spoke: that is said of whatever is kept. */
function labelsOf(group: Group): string[] {
  return group.parent === undefined ? [] : [group.label, ...labelsOf(group.parent)];
}

/** A term weighs what the pieces that mention it weigh together, so what recurs weighs more. */
function weighTerms(
  pieces: readonly { readonly voice: Voice; readonly units: readonly Known[] }[],
  terms: number,
  how: Weighing,
): number[] {
  const weights: number[] = Array.from({ length: terms }, () => 0);
  const mentions: number[] = Array.from({ length: terms }, () => 0);
  const oldest = how.isHistory && how.strategies.includes("progressive") ? WEIGHTS.oldest : 1;
  pieces.forEach(({ voice, units }, index) => {
    const here = new Set(units.flatMap((unit) => unit.terms.map((term) => term.id)));
    const age = oldest + (1 - oldest) * ((index + 1) / pieces.length);
    const crowd = (Math.max(here.size, WEIGHTS.uncrowded) / WEIGHTS.uncrowded) ** -WEIGHTS.crowd;
    for (const id of here) {
      weights[id] = (weights[id] ?? 0) + age * crowd * WEIGHTS.voices[voice];
      mentions[id] = (mentions[id] ?? 0) + 1;
    }
  });
  return weights.map((weight, id) => (isRefrain(mentions[id] ?? 0, pieces.length) ? weight * WEIGHTS.refrain : weight));
}

function isRefrain(mentions: number, pieces: number): boolean {
  return pieces > 4 && mentions > pieces / 2;
}
