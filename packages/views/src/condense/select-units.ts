import type { CountTokens } from "@workrail/core";
import type { Group } from "./outline.ts";
import type { Candidate } from "./weigh-units.ts";
import { WEIGHTS } from "./weights.ts";

interface Selecting {
  readonly count: CountTokens;
  /** Result of `linkAlike`, for callers that select repeatedly. */
  readonly nextAlike?: readonly (number | undefined)[];
}

/**
 * Greedily selects the units with the most new information per token, as many as fit. The first unit of a group pays for the
 * group's labels.
 *
 * @returns indexes of the selected units in `candidates`.
 */
export function selectUnits(
  candidates: readonly Candidate[],
  room: number,
  { count, nextAlike = linkAlike(candidates) }: Selecting,
): Set<number> {
  const state = new Selection(count);
  const queue = new Queue();
  const followers = new Set(nextAlike);
  candidates.forEach((candidate, place) => {
    if (!followers.has(place)) queue.add({ place, score: state.scoreOf(candidate) });
  });
  const chosen = new Set<number>();
  const least = candidates.reduce((cost, { tokens }) => Math.min(cost, tokens), Number.POSITIVE_INFINITY);
  let left = room;
  for (let next = queue.take(); next !== undefined && least <= left; next = queue.take()) {
    const candidate = candidates[next.place];
    if (candidate === undefined) break;
    const cost = state.costOf(candidate);
    // Earlier choices can only have lowered the score, or the cost.
    const score = state.scoreOf(candidate);
    if (cost <= left && score < queue.best) {
      queue.add({ place: next.place, score });
      continue;
    }
    if (cost <= left && score > 0) {
      chosen.add(next.place);
      left -= cost;
      state.choose(candidate);
    }
    const follower = nextAlike[next.place];
    const alike = follower === undefined ? undefined : candidates[follower];
    if (follower !== undefined && alike !== undefined) queue.add({ place: follower, score: state.scoreOf(alike) });
  }
  return chosen;
}

/**
 * Links each unit to the next one with equal text and cost, apart from labels that are already written. The next one need not be
 * considered before the first is chosen or skipped. Otherwise each choice would re-rate thousands of equal units.
 */
export function linkAlike(candidates: readonly Candidate[]): readonly (number | undefined)[] {
  const paths = new Map<Group | undefined, string>([[undefined, ""]]);
  const pathOf = (group: Group | undefined): string => {
    let path = paths.get(group);
    if (path === undefined && group !== undefined) paths.set(group, (path = `${pathOf(group.parent)}\n${group.label}`));
    return path ?? "";
  };
  const latest = new Map<string, number>();
  const next: (number | undefined)[] = candidates.map(() => undefined);
  candidates.forEach(({ text, tokens, relevance, terms, unit }, place) => {
    const worth = terms.reduce((sum, { weight }) => sum + weight, 0);
    const key = `${tokens} ${relevance} ${worth} ${pathOf(unit.group)}\n\n${text}`;
    const before = latest.get(key);
    if (before !== undefined && areSame(terms, candidates[before]?.terms)) next[before] = place;
    latest.set(key, place);
  });
  return next;
}

function areSame(some: Candidate["terms"], others: Candidate["terms"] = []): boolean {
  return some.length === others.length && some.every(({ id, weight }, at) => id === others[at]?.id && weight === others[at]?.weight);
}

/** Takes as many units as fit from the beginning, or from the end of a history. */
export function takeUnits(
  candidates: readonly Candidate[],
  room: number,
  options: { readonly count: CountTokens; readonly isHistory: boolean },
): Set<number> {
  const state = new Selection(options.count);
  const chosen = new Set<number>();
  let left = room;
  for (let index = 0; index < candidates.length; index += 1) {
    const place = options.isHistory ? candidates.length - 1 - index : index;
    const candidate = candidates[place];
    if (candidate === undefined) break;
    left -= state.costOf(candidate);
    if (left < 0) break;
    state.choose(candidate);
    chosen.add(place);
  }
  return chosen;
}

class Selection {
  readonly #count: CountTokens;
  readonly #mentions = new Map<number, number>();
  readonly #open = new Set<Group>();
  readonly #costs = new Map<Group, number>();

  constructor(count: CountTokens) {
    this.#count = count;
  }

  scoreOf(candidate: Candidate): number {
    let gain = 0;
    for (const { id, weight } of candidate.terms) gain += weight * WEIGHTS.again ** (this.#mentions.get(id) ?? 0);
    return (gain * candidate.relevance) / (this.costOf(candidate) + WEIGHTS.overhead);
  }

  costOf(candidate: Candidate): number {
    let cost = candidate.tokens;
    for (let group: Group | undefined = candidate.unit.group; group !== undefined && !this.#open.has(group); group = group.parent) {
      cost += this.#labelCost(group);
    }
    return cost;
  }

  choose(candidate: Candidate): void {
    for (const { id } of candidate.terms) this.#mentions.set(id, (this.#mentions.get(id) ?? 0) + 1);
    for (let group: Group | undefined = candidate.unit.group; group !== undefined; group = group.parent) this.#open.add(group);
  }

  #labelCost(group: Group): number {
    let cost = this.#costs.get(group);
    if (cost === undefined) {
      // Includes the colon, and quotes and comma around a separate text.
      const around = group.parent === undefined ? 3 : 1;
      cost = group.label === "" ? 0 : this.#count(` ${group.label}`) + around;
      this.#costs.set(group, cost);
    }
    return cost;
  }
}

interface Waiting {
  readonly place: number;
  readonly score: number;
}

/** Priority queue: highest score first, then text order. */
class Queue {
  readonly #heap: Waiting[] = [];

  get best(): number {
    return this.#heap[0]?.score ?? Number.NEGATIVE_INFINITY;
  }

  add(item: Waiting): void {
    const heap = this.#heap;
    let at = heap.push(item) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(heap[at], heap[above])) break;
      this.#swap(at, above);
      at = above;
    }
  }

  take(): Waiting | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ;) {
      const left = at * 2 + 1;
      const best = isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
      if (!isBefore(heap[best], heap[at])) return first;
      this.#swap(at, best);
      at = best;
    }
  }

  #swap(left: number, right: number): void {
    const heap = this.#heap;
    [heap[left], heap[right]] = [heap[right] as Waiting, heap[left] as Waiting];
  }
}

function isBefore(left: Waiting | undefined, right: Waiting | undefined): boolean {
  if (left === undefined || right === undefined) return left !== undefined;
  return left.score > right.score || (left.score === right.score && left.place < right.place);
}
