import type { CountTokens } from "../ports/environment.ts";
import type { Steps } from "../turns.ts";
import type { Ranked } from "./rank-excerpts.ts";

/** Tokens of what is written around an excerpt: a comma, quotes, who spoke. */
const AROUND = 4;
/** Tries that bring what is chosen by estimate close to the room. */
const TRIES = 12;
/** Of the excerpts after the cut, so many are tried for what is left of the room. */
const MOST_OFFERS = 60;
/** Less room than this, in tokens, is left as it is. */
const LEAST_LEFT_OVER = 12;

/**
 * As many of the first excerpts as fit, so that a larger room has all that a smaller one has; then those of the next that
 * still find room.
 *
 * @param excessOf tokens by which what these make is too large; negative where room is left.
 */
export function* cutExcerpts(
  ranked: readonly Ranked[],
  roomTokens: number,
  count: CountTokens,
  excessOf: (chosen: readonly Ranked[]) => number,
): Steps<readonly Ranked[]> {
  const costs = costsOf(ranked, roomTokens, count);
  let [low, high] = [0, Math.min(ranked.length, costs.length)];
  let aim = placeOf(costs, roomTokens);
  for (let tries = 0; low < high; tries++) {
    yield;
    const tried = tries < TRIES ? Math.min(high, Math.max(low + 1, aim)) : Math.ceil((low + high) / 2);
    const excess = excessOf(ranked.slice(0, tried));
    if (excess <= 0) low = tried;
    else high = tried - 1;
    // The estimate is wrong by about as much for the next try.
    aim = placeOf(costs, (costs[tried - 1] ?? 0) - excess);
  }
  return yield* fillUp(ranked.slice(0, low), ranked.slice(low, low + MOST_OFFERS), count, excessOf);
}

/** What the first excerpts take together, about; ends where it is surely too much. */
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

/** How many of the first are within so much. */
function placeOf(costs: readonly number[], most: number): number {
  const beyond = costs.findIndex((cost) => cost > most);
  return beyond === -1 ? costs.length : beyond;
}

function* fillUp(
  chosen: readonly Ranked[],
  offers: readonly Ranked[],
  count: CountTokens,
  excessOf: (chosen: readonly Ranked[]) => number,
): Steps<readonly Ranked[]> {
  if (offers.length === 0) return chosen;
  let taken = chosen;
  let left = -excessOf(taken);
  for (const offer of offers) {
    if (left < LEAST_LEFT_OVER) break;
    yield;
    const more = [...taken, offer];
    const excess = count(offer.text) + AROUND > left ? 1 : excessOf(more);
    if (excess > 0 && offer.isRequired === true) break;
    if (excess > 0) continue;
    taken = more;
    left = -excess;
  }
  return taken;
}
