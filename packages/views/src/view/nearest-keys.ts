import { isAlike } from "@workrail/core";

/**
 * Returns keys similar to a name, most likely first: equal except for case and separators, similarly spelled, or with a word in
 * common.
 */
export function nearestKeys(name: string, keys: readonly string[]): string[] {
  const asked = plain(name);
  const words = new Set(wordsIn(name));
  const weighed = keys.map((key) => ({
    key,
    weight: likeness(plain(key), asked) || (wordsIn(key).some((word) => words.has(word)) ? 1 : 0),
  }));
  return weighed
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ key }) => key);
}

function likeness(key: string, asked: string): number {
  if (key === asked) return 4;
  if (isAlike(key, asked)) return 3;
  const isBeginning = asked.length > 2 && key.length > 2 && (key.startsWith(asked) || asked.startsWith(key));
  return isBeginning ? 2 : 0;
}

function plain(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

/** Returns words of at least three letters, because shorter ones say little. */
function wordsIn(name: string): string[] {
  const words = name.match(/\p{Lu}?\p{Ll}+|\p{Lu}+|[\p{Lo}\p{N}]+/gu) ?? [];
  return words.map((word) => word.toLowerCase()).filter((word) => word.length > 2);
}
