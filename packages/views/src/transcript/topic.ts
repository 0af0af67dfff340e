import { type FindSecrets, redact } from "@workrail/core";
import { CONVERSATION_LIMITS } from "./conversation-limits.ts";
import { textOf, type Turn } from "./turn.ts";

/** Topic of a conversation, in words that are valid in file names on every system. */
export interface Topic {
  /** Lower-case words with `-` between them, at most 100 characters. */
  readonly topic: string;
  /** True when no topic could be extracted from a non-empty conversation. */
  readonly isFallback: boolean;
}

const FALLBACK = "conversation";

/** Returns the given topic, else the first line of the user. A topic needs a letter or a digit. */
export function topicOf(given: string | undefined, turns: readonly Turn[], find: FindSecrets): Topic {
  for (const text of [given ?? "", ...candidates(turns, find)]) {
    const topic = slug(text, CONVERSATION_LIMITS.topicLength);
    if (topic !== "") return { topic, isFallback: false };
  }
  return { topic: FALLBACK, isFallback: turns.some((turn) => turn.parts.length > 0) };
}

/** Yields lines of the user, then of all speakers. The first line may be a fence or a rule. */
function* candidates(turns: readonly Turn[], find: FindSecrets): Generator<string> {
  const asked = turns.filter(({ isUser }) => isUser);
  for (const turn of [...asked.slice(0, MOST_TURNS), ...turns.slice(0, MOST_TURNS)]) {
    for (const line of textOf(turn).split("\n", MOST_LINES)) {
      const words = line.slice(0, MOST_CHARACTERS).replaceAll(MARKUP, " ");
      // A secret in a file name would appear in every listing of its folder.
      if (/[\p{L}\p{N}]/u.test(words)) yield redact(words, find).text;
    }
  }
}

/** Turns searched: later ones do not introduce the topic. */
const MOST_TURNS = 20;
const MOST_LINES = 50;
const MOST_CHARACTERS = 1_000;
/** Hosts wrap user input in tags of their own. */
const MARKUP = /<\/?[a-z][\w-]*[^<>]*>/giu;

/** Shortens a topic for a file name. */
export function fileTopic(topic: string): string {
  return slug(topic, CONVERSATION_LIMITS.fileTopicLength);
}

/** Invisible parts of words, and apostrophes: joiners, variation selectors, keycap marks. */
const UNSEEN = /['’]|\u200c|\u200d|\u20e3|[\ufe00-\ufe0f]/gu;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

/**
 * Converts a text to lower-case letters and digits of any script; other characters separate words. The result has no path
 * separators, dots, spaces or control characters.
 */
function slug(text: string, length: number): string {
  const plain = text.normalize("NFKC").replaceAll(UNSEEN, "").toLowerCase();
  return shortened((plain.match(WORD) ?? []).join("-").normalize("NFC"), length);
}

/** Cuts at a word, unless that loses half of the length, and never between a letter and its mark. */
function shortened(words: string, length: number): string {
  const characters = Array.from(words);
  if (characters.length <= length) return words;
  let end = length;
  while (end > 0 && /\p{M}/u.test(characters[end] ?? "")) end -= 1;
  const head = characters.slice(0, end);
  const isWhole = characters[end] === "-";
  const lastWord = head.lastIndexOf("-");
  return head
    .slice(0, isWhole || lastWord < length / 2 ? end : lastWord)
    .join("")
    .replace(/-$/u, "");
}
