import type { CountTokens, JsonValue, Steps } from "@workrail/core";
import { isWithin, type Room } from "../view/room.ts";
import type { Part } from "./outline.ts";
import { renderParts } from "./render-parts.ts";
import { linkAlike, selectUnits, takeUnits } from "./select-units.ts";
import { weighUnits, type Weighing } from "./weigh-units.ts";

/** Combines the kept texts of the parts, `undefined` for an omitted part, into a value; `undefined` when nothing is kept. */
export type PutTogether = (texts: readonly (string | undefined)[]) => JsonValue | undefined;

/** Attempts to bring the real size of the selected units close to the room. */
const TRIES = 12;
/** Factor on the next budget when all attempts were too large. */
const SURELY_LESS = 0.9;
/** A room counts as full when less than 1/200 of its tokens is unused. */
const FULL = 200;

/** Selects as much of the parts as fits when combined. */
export function* fillRoom(
  parts: readonly Part[],
  room: Room,
  options: Weighing & { readonly put: PutTogether },
): Steps<JsonValue | undefined> {
  const candidates = yield* weighUnits(parts, room.tokens, options);
  const isSelective = options.strategies.includes("select");
  const nextAlike = isSelective ? linkAlike(candidates) : [];
  const choose = (budget: number): Set<number> => {
    return isSelective ? selectUnits(candidates, budget, { count: options.count, nextAlike }) : takeUnits(candidates, budget, options);
  };
  let best: JsonValue | undefined;
  let budget = room.tokens;
  for (let tries = 0; (tries < TRIES || best === undefined) && budget > 0; tries += 1) {
    yield;
    const chosen = choose(budget);
    const value = options.put(renderParts(parts, candidates, chosen));
    if (value === undefined) return best;
    const size = sizeOf(value, options.count);
    if (isWithin(size, room)) {
      best = value;
      const slack = room.tokens - size.tokens;
      if (slack * FULL < room.tokens || chosen.size === candidates.length) break;
      budget += Math.ceil(slack * 0.7);
    } else {
      const over = Math.max(size.tokens / room.tokens, size.characters / room.characters);
      // When characters are scarcer than tokens, much of the budget is unused, and reducing it changes nothing.
      const spent = tries < TRIES - 1 ? budget : Math.min(budget, size.tokens) * SURELY_LESS;
      budget = Math.min(budget - 1, Math.floor(spent / over));
    }
  }
  return best;
}

/** Returns the size of a value as JSON text. */
export function sizeOf(value: JsonValue, count: CountTokens): Room {
  const text = JSON.stringify(value);
  return { tokens: count(text), characters: text.length };
}
