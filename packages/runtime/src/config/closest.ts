import { closestMatch } from "leven";

/** A slip changes so much of a name at most. */
const SLIP_SHARE = 1 / 4;

/** The name that was most likely meant, if one is close. */
export function closest(given: string, names: Iterable<string>): string | undefined {
  return closestMatch(given, [...names], { maxDistance: Math.max(1, Math.floor(given.length * SLIP_SHARE)) });
}
