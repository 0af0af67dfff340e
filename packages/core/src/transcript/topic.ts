import { CONVERSATION_LIMITS } from "../model/conversation.ts";
import { redact } from "../secrets/redact.ts";
import { textOf, type Turn } from "./turn.ts";

/** What a conversation is about, in words that can stand in the name of a file on every system. */
export interface Topic {
  /** Lower-case words with `-` between them, at most 100 characters. */
  readonly topic: string;
  /** No topic could be extracted from a conversation that says something. */
  readonly isFallback: boolean;
}

const FALLBACK = "conversation";

/** The topic that was given, else the first line that the user said. What has no letter and no digit makes no topic. */
export function topicOf(given: string | undefined, turns: readonly Turn[]): Topic {
  for (const text of [given ?? "", ...candidates(turns)]) {
    const topic = slug(text, CONVERSATION_LIMITS.topicLength);
    if (topic !== "") return { topic, isFallback: false };
  }
  return { topic: FALLBACK, isFallback: turns.some((turn) => turn.parts.length > 0) };
}

/** What the user said first, else whoever said something; line by line, for the first may be a fence or a rule. */
function* candidates(turns: readonly Turn[]): Generator<string> {
  const asked = turns.filter(({ isUser }) => isUser);
  for (const turn of [...asked.slice(0, MOST_TURNS), ...turns.slice(0, MOST_TURNS)]) {
    for (const line of textOf(turn).split("\n", MOST_LINES)) {
      const words = line.slice(0, MOST_CHARACTERS).replaceAll(MARKUP, " ");
      // A secret in the name of a file would be in every listing of its folder.
      if (/[\p{L}\p{N}]/u.test(words)) yield redact(words).text;
    }
  }
}

/** Whoever begins otherwise does not come to the point later. */
const MOST_TURNS = 20;
const MOST_LINES = 50;
const MOST_CHARACTERS = 1_000;
/** Hosts wrap what the user typed in tags of their own. */
const MARKUP = /<\/?[a-z][\w-]*[^<>]*>/giu;

/** A topic as it stands in the name of a file. */
export function fileTopic(topic: string): string {
  return slug(topic, CONVERSATION_LIMITS.fileTopicLength);
}

/** What belongs to a word without being seen: joiners, variation selectors, the frame of a keycap, apostrophes. */
const UNSEEN = /['’]|\u200c|\u200d|\u20e3|[\ufe00-\ufe0f]/gu;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

/**
 * Letters and digits of any script, in lower case; whatever else there is parts words. So it has no separator of paths, no
 * dot, no blank and no control character in it.
 */
function slug(text: string, length: number): string {
  const plain = text.normalize("NFKC").replaceAll(UNSEEN, "").toLowerCase();
  return shortened((plain.match(WORD) ?? []).join("-").normalize("NFC"), length);
}

/** At a word, unless half of the room would be lost by it, and never between a letter and its mark. */
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
