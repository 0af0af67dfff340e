import type { Classification } from "./classification.ts";
import { singularsOf } from "./key-words.ts";
import { PHRASES } from "./phrases.ts";
import { FILLERS, FOLLOWERS, MODIFIERS, PREPOSITIONS } from "./vocabulary.ts";
import { isCompound, roleOf } from "./word-roles.ts";

/** Without little words, and with compounds that were written as two words joined. */
export function tidy(words: readonly string[]): string[] {
  // A letter alone is what figures left behind: `phase2b`, `p95`.
  const telling = words.length > 1 ? words.filter((word) => word.length > 1 && !FILLERS.has(word)) : words;
  const told: string[] = [];
  for (const word of telling.length > 0 ? telling : words) {
    const last = told.at(-1);
    const joined = `${last}${word}`;
    if (last !== undefined && last.length > 1 && joined.length > 3 && isCompound(joined)) told[told.length - 1] = joined;
    else told.push(word);
  }
  // `seqNo`
  return told.length > 1 && told.at(-1) === "no" ? [...told.slice(0, -1), "number"] : told;
}

/** The words up to and with the head; participles that followed it stand in front. */
export function headPhrase(words: readonly string[]): string[] {
  const cut = words.findIndex((word, index) => index > 0 && index < words.length - 1 && PREPOSITIONS.has(word));
  if (cut > 0) {
    const before = words.slice(0, cut);
    // `lineOfArgument` is an argument line, `listOfFindings` a findings list: so the noun behind gives way or not as it does in front.
    const turned = [...words.slice(cut + 1), ...before];
    return words[cut] === "of" || (SOURCES.has(words[cut] ?? "") && asPhrase(turned, 1) !== undefined)
      ? headPhrase(turned)
      : headPhrase(before);
  }
  const last = words.at(-1) ?? "";
  const maySayMore = last.endsWith("ed") || MODIFIERS.IMPORTANT.has(last) || MODIFIERS.CRITICAL.has(last);
  const isFollower = FOLLOWERS.has(last) || (maySayMore && roleOf(last) === undefined && roleOf(words.at(-2) ?? "")?.[1].kind === "head");
  if (words.length > 1 && (isFollower || PREPOSITIONS.has(last))) {
    const rest = headPhrase(words.slice(0, -1));
    return isFollower ? [last, ...rest] : rest;
  }
  return [...words];
}

/** `questionFromUser` is a user question. */
const SOURCES: ReadonlySet<string> = new Set(["from", "by"]);

const LONGEST_PHRASE = 4;
/** Most words end no phrase. */
const LAST_OF_PHRASE: ReadonlySet<string> = new Set([...PHRASES.keys()].map((phrase) => phrase.slice(phrase.lastIndexOf(" ") + 1)));

/** What the words are as a compound that is not what its last word is. */
export function asPhrase(words: readonly string[], confidence: number): Classification | undefined {
  if (words.length < 2) return undefined;
  const lasts = singularsOf(words.at(-1) ?? "").filter((word) => LAST_OF_PHRASE.has(word));
  if (lasts.length === 0) return undefined;
  for (let length = Math.min(LONGEST_PHRASE, words.length); length >= 2; length--) {
    const start = words.slice(-length, -1).join(" ");
    for (const last of lasts) {
      const layer = PHRASES.get(`${start} ${last}`);
      if (layer !== undefined) return { layer, confidence, why: `key words "${start} ${last}"` };
    }
  }
  return undefined;
}
