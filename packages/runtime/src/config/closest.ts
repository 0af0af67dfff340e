import { closestMatch } from "leven";

/** Largest share of a name that a typing slip changes. */
const SLIP_SHARE = 1 / 4;

/** Returns the closest known name, if one is close enough. */
export function closest(given: string, names: Iterable<string>): string | undefined {
  return closestMatch(given, [...names], { maxDistance: Math.max(1, Math.floor(given.length * SLIP_SHARE)) });
}
