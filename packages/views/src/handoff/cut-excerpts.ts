import type { CountTokens, Steps } from "@workrail/core";
import { isEntry, type Ranked } from "./rank-excerpts.ts";

/** Tokens around an excerpt: comma, quotes, speaker. */
const TOKENS_AROUND = 4;
/** Tries that follow the estimate; later ones bisect. */
const TRIES = 12;
/** Consecutive excerpts after the cut that may fill the remaining room. */
const MOST_OFFERS = 60;
/** Maximum measurements while filling up. */
const MOST_TRIED = 60;
/** Minimum remaining tokens worth filling. */
const LEAST_LEFT_OVER = 6;
/** Estimated tokens of an absent entry's name in the report. Including the entry frees them. */
const NAME_TOKENS = 10;
/** Upper estimate of the characters of a token. */
const CHARACTERS_A_TOKEN = 8;

interface Measuring {
  readonly count: CountTokens;
  /** Returns the tokens by which a result of these excerpts is too large; negative when room is left. */
  readonly excessOf: (chosen: readonly Ranked[]) => number;
}

/**
 * Takes the longest prefix of the ranking that fits, so that a larger room includes what a smaller one does. Fills the rest with
 * the next excerpts, then with the first of each absent entry. After a required excerpt that does not fit, takes only required
 * whole entries.
 */
export function* cutExcerpts(ranked: readonly Ranked[], roomTokens: number, measuring: Measuring): Steps<readonly Ranked[]> {
  const { count, excessOf } = measuring;
  const costs = costsOf(ranked, roomTokens, count);
  let [low, high] = [0, Math.min(ranked.length, costs.length)];
  let aim = countWithin(costs, roomTokens);
  for (let tries = 0; low < high; tries++) {
    yield;
    const tried = tries < TRIES ? Math.min(high, Math.max(low + 1, aim)) : Math.ceil((low + high) / 2);
    const excess = excessOf(ranked.slice(0, tried));
    if (excess <= 0) low = tried;
    else high = tried - 1;
    // Corrects the estimate by the error of this try.
    aim = countWithin(costs, (costs[tried - 1] ?? 0) - excess);
  }
  return yield* fillUp(ranked.slice(0, low), offersAfter(ranked, low), measuring);
}

/** Estimates the cumulative tokens of the excerpts, up to twice the room. */
function costsOf(ranked: readonly Ranked[], roomTokens: number, count: CountTokens): number[] {
  const costs: number[] = [];
  let sum = 0;
  for (const { text } of ranked) {
    sum += count(text) + TOKENS_AROUND;
    costs.push(sum);
    if (sum > roomTokens * 2) break;
  }
  return costs;
}

/** Returns how many of the first excerpts stay within `most` tokens. */
function countWithin(costs: readonly number[], most: number): number {
  const beyond = costs.findIndex((cost) => cost > most);
  return beyond === -1 ? costs.length : beyond;
}

/** Returns the next excerpts after the cut, then the first of each absent entry. */
function offersAfter(ranked: readonly Ranked[], cut: number): readonly Ranked[] {
  const end = cut + MOST_OFFERS;
  const seen = new Set(ranked.slice(0, end).map(({ key }) => key));
  const absent = ranked.slice(end).filter(({ key }) => {
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  });
  return [...ranked.slice(cut, end), ...absent];
}

function* fillUp(chosen: readonly Ranked[], offers: readonly Ranked[], { count, excessOf }: Measuring): Steps<readonly Ranked[]> {
  if (offers.length === 0) return chosen;
  let taken = chosen;
  let left = -excessOf(taken);
  let isMissing = false;
  let tried = 0;
  for (const offer of offers) {
    const isRequiredEntry = offer.isRequired === true && isEntry(offer);
    if (left < LEAST_LEFT_OVER || tried === MOST_TRIED || (isMissing && !isRequiredEntry)) break;
    const { length } = offer.text;
    const isTooLarge = length > (left + NAME_TOKENS) * CHARACTERS_A_TOKEN || count(offer.text) > left + NAME_TOKENS;
    if (!isTooLarge) {
      yield;
      tried++;
      const more = [...taken, offer];
      const excess = excessOf(more);
      if (excess <= 0) {
        taken = more;
        left = -excess;
        continue;
      }
    }
    isMissing ||= offer.isRequired === true;
  }
  return taken;
}
