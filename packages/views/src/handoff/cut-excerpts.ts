import type { CountTokens, Steps } from "@workrail/core";
import { isEntry, type Ranked } from "./rank-excerpts.ts";

/** Tokens around an excerpt: comma, quotes, speaker. */
const AROUND = 4;
/** Attempts to bring the chosen excerpts close to the room. */
const TRIES = 12;
/** Number of excerpts after the cut that are offered the remaining room. */
const MOST_OFFERS = 60;
/** Number of results that are tried for it. */
const MOST_TRIED = 60;
/** Tokens below which remaining room is not used. */
const LEAST_LEFT_OVER = 6;
/** Tokens that the name of an absent entry takes at least. */
const OF_A_NAME = 10;
/** More characters per token than most texts have. */
const CHARACTERS_A_TOKEN = 8;

interface Measuring {
  readonly count: CountTokens;
  /** Returns the tokens by which a result of these excerpts is too large; negative when room is left. */
  readonly excessOf: (chosen: readonly Ranked[]) => number;
}

/**
 * Takes as many of the first excerpts as fit, so that a larger room includes everything a smaller one does, then further ones
 * that still fit: the next ones, then the first of each entry that is absent. While a required excerpt is missing, only shorter
 * required ones may follow.
 */
export function* cutExcerpts(ranked: readonly Ranked[], roomTokens: number, measuring: Measuring): Steps<readonly Ranked[]> {
  const { count, excessOf } = measuring;
  const costs = costsOf(ranked, roomTokens, count);
  let [low, high] = [0, Math.min(ranked.length, costs.length)];
  let aim = placeOf(costs, roomTokens);
  for (let tries = 0; low < high; tries++) {
    yield;
    const tried = tries < TRIES ? Math.min(high, Math.max(low + 1, aim)) : Math.ceil((low + high) / 2);
    const excess = excessOf(ranked.slice(0, tried));
    if (excess <= 0) low = tried;
    else high = tried - 1;
    // The estimate will be off by about the same amount next time.
    aim = placeOf(costs, (costs[tried - 1] ?? 0) - excess);
  }
  return yield* fillUp(ranked.slice(0, low), offersAfter(ranked, low), measuring);
}

/** Estimates the cumulative tokens of the first excerpts, up to where they certainly exceed the room. */
function costsOf(ranked: readonly Ranked[], roomTokens: number, count: CountTokens): number[] {
  const costs: number[] = [];
  let sum = 0;
  for (const { text } of ranked) {
    sum += count(text) + AROUND;
    costs.push(sum);
    if (sum > roomTokens * 2) break;
  }
  return costs;
}

/** Returns how many of the first excerpts stay within `most` tokens. */
function placeOf(costs: readonly number[], most: number): number {
  const beyond = costs.findIndex((cost) => cost > most);
  return beyond === -1 ? costs.length : beyond;
}

/** Returns the excerpts after the cut, and the first one of each absent entry further on. */
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
    const isShortEntry = offer.isRequired === true && isEntry(offer);
    if (left < LEAST_LEFT_OVER || tried === MOST_TRIED || (isMissing && !isShortEntry)) break;
    const { length } = offer.text;
    const isLarge = length > (left + OF_A_NAME) * CHARACTERS_A_TOKEN || count(offer.text) > left + OF_A_NAME;
    if (!isLarge) {
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
