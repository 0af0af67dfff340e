import { type Classification, type Layer, LAYERS, singularsOf } from "@workrail/core";
import { ASPECTS, CONTAINERS, FILLERS, FOLLOWERS, HEADS, MODIFIERS, PREPOSITIONS } from "./vocabulary.ts";
import { PHRASES } from "./phrases.ts";

/** Role of a head noun, given by its table. */
export type Role = { readonly kind: "head" | "container"; readonly layer: Layer } | { readonly kind: "aspect" };

export const EPHEMERAL_HEAD: Role = { kind: "head", layer: "EPHEMERAL" };

export const ROLES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ...[...ASPECTS].map((word): [string, Role] => [word, { kind: "aspect" }]),
  ...LAYERS.flatMap((layer) => [...CONTAINERS[layer]].map((word): [string, Role] => [word, { kind: "container", layer }])),
  ...LAYERS.flatMap((layer) =>
    [...HEADS[layer]].map((word): [string, Role] => [word, layer === "EPHEMERAL" ? EPHEMERAL_HEAD : { kind: "head", layer }]),
  ),
]);

/** Returns the singular of a word and its role, or `undefined` for an unknown word. */
export function roleOf(word: string): readonly [string, Role] | undefined {
  for (const form of singularsOf(word)) {
    const role = ROLES.get(form);
    if (role !== undefined) return [form, role];
  }
  return undefined;
}

export function isOneOf(set: ReadonlySet<string>, word: string): boolean {
  return singularsOf(word).some((form) => set.has(form));
}

export function isPlural(written: string, singular: string): boolean {
  return written !== singular;
}

/** Tells whether two words of a key form one compound. */
function isCompound(joined: string): boolean {
  return singularsOf(joined).some((form) => COMPOUNDS.has(form));
}

const COMPOUNDS: ReadonlySet<string> = new Set([...ROLES.keys()].filter((word) => word.length > 3));

/** Removes filler words, and joins compounds that were written as two words. */
export function tidy(words: readonly string[]): string[] {
  // A single letter is left over from a name with digits: `phase2b`, `p95`.
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

/** Returns the words up to the head. Participles behind the head move in front of it. */
export function headPhrase(words: readonly string[]): string[] {
  const cut = words.findIndex((word, index) => index > 0 && index < words.length - 1 && PREPOSITIONS.has(word));
  if (cut > 0) {
    const before = words.slice(0, cut);
    // `lineOfArgument` reads as an argument line, `listOfFindings` as a findings list: the noun in front decides or not, as for any
    // other head.
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

/** Prepositions whose noun moves in front: `questionFromUser` is a user question. */
const SOURCES: ReadonlySet<string> = new Set(["from", "by"]);

const LONGEST_PHRASE = 4;
/** Last words of all phrases, for a quick check: most words end no phrase. */
const LAST_OF_PHRASE: ReadonlySet<string> = new Set([...PHRASES.keys()].map((phrase) => phrase.slice(phrase.lastIndexOf(" ") + 1)));

/** Classifies the words as a compound whose meaning differs from that of its last word. */
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
