import type { JsonValue } from "../model/context.ts";
import type { CountTokens } from "../ports/environment.ts";
import { isWithin, type Room } from "../view/room.ts";
import type { Steps } from "../turns.ts";
import type { Part } from "./outline.ts";
import { renderParts } from "./render-parts.ts";
import { linkAlike, selectUnits, takeUnits } from "./select-units.ts";
import { weighUnits, type Weighing } from "./weigh-units.ts";

/** What the kept texts of the parts come back as, `undefined` for what nothing is kept of; or `undefined` when that is nothing at all. */
export type PutTogether = (texts: readonly (string | undefined)[]) => JsonValue | undefined;

/** Tries that bring what is selected by the cost of its units close to the room as a whole. */
const TRIES = 12;
/** When all those tries were too much, the next takes so much less than what seems to fit. */
const SURELY_LESS = 0.9;
/** A room that is filled up to one part in so many is full. */
const FULL = 200;

/** Selects as much of the parts as fits once it is put together. */
export function* fillRoom(parts: readonly Part[], room: Room, how: Weighing & { readonly put: PutTogether }): Steps<JsonValue | undefined> {
  const candidates = yield* weighUnits(parts, room.tokens, how);
  const isSelective = how.strategies.includes("select");
  const nextAlike = isSelective ? linkAlike(candidates) : [];
  const choose = (budget: number): Set<number> => {
    return isSelective ? selectUnits(candidates, budget, how.count, nextAlike) : takeUnits(candidates, budget, how);
  };
  let best: JsonValue | undefined;
  let budget = room.tokens;
  for (let tries = 0; (tries < TRIES || best === undefined) && budget > 0; tries += 1) {
    yield;
    const chosen = choose(budget);
    const value = how.put(renderParts(parts, candidates, chosen));
    if (value === undefined) return best;
    const size = sizeOf(value, how.count);
    if (isWithin(size, room)) {
      best = value;
      const slack = room.tokens - size.tokens;
      if (slack * FULL < room.tokens || chosen.size === candidates.length) break;
      budget += Math.ceil(slack * 0.7);
    } else {
      const over = Math.max(size.tokens / room.tokens, size.characters / room.characters);
      // Where characters are scarcer than tokens, much of the budget is not spent, and less of it changes nothing.
      const spent = tries < TRIES - 1 ? budget : Math.min(budget, size.tokens) * SURELY_LESS;
      budget = Math.min(budget - 1, Math.floor(spent / over));
    }
  }
  return best;
}

/** What a value takes as JSON text. */
export function sizeOf(value: JsonValue, count: CountTokens): Room {
  const text = JSON.stringify(value);
  return { tokens: count(text), characters: text.length };
}
