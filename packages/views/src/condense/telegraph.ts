import { withoutSmallTalk } from "@workrail/core";
import { isDirection, isQuestion, isStopWord, changesMeaning } from "./words.ts";

/**
 * Rewrites a sentence in telegram style, without low-information words and polite phrases. Keeps negations, conditions, numbers,
 * names, and everything that is not a plain word. Does not change code or program output.
 */
export function telegraph(text: string): string {
  if (looksLikeCode(text) || REPORTED.test(text)) return text;
  const words = (withoutSmallTalk(text) || text).split(" ").filter((word) => word !== "");
  const kept: string[] = [];
  words.forEach((word, index) => {
    if (!isSpare(word, words[index - 1], words[index + 1])) kept.push(word);
    else if (ENDING.test(word)) endSentence(kept, word);
  });
  // Keeps a text of only such words: "as you like" still carries meaning.
  return kept.some((word) => /[\p{L}\p{N}]/u.test(word)) ? kept.join(" ") : text;
}

/** Moves sentence ends, so that "Could you find out why? Do not touch it." does not become "find not touch". */
function endSentence(kept: string[], word: string): void {
  const last = kept.at(-1);
  if (last !== undefined && /[\p{L}\p{N}]$/u.test(last)) kept[kept.length - 1] = `${last}${word.at(-1) ?? ""}`;
}

const ENDING = /[.!?]$/u;

function isSpare(word: string, before: string | undefined, next: string | undefined): boolean {
  const bare = word.replace(OPENING, "").replace(CLOSING, "");
  if (!/^[\p{L}'’]+$/u.test(bare) || !isStopWord(bare)) return false;
  if (isDirection(bare) && bare === word && next !== undefined && POINTED.test(next)) return false;
  // "in May", "ask Will" and "US" are names; a first word and "I" are not.
  const isFirst = before === undefined || /[.!?:;…]["')\]*_]*$/u.test(before);
  // "Could you please" and "I would like to" are requests; "it could be" expresses uncertainty.
  if (isFirst ? isQuestion(bare) : changesMeaning(bare) && next !== "like") return false;
  return isFirst || !/^\p{Lu}/u.test(bare) || /^I(?:['’]|$)/u.test(bare) || OPENING.test(word);
}

/** Punctuation attached to a word. */
const OPENING = /^["'([*_]+/u;
const CLOSING = /["')\]*_,.!?:;…]+$/u;
/** Name, number or identifier. */
const POINTED = /^["'([]?(?:\p{Lu}|\p{N}|[$€£#]|\p{L}+[_./:]\p{L})/u;

/** True for code, in which `if`, `for` and `in` matter. */
function looksLikeCode(text: string): boolean {
  if (CODE.test(text)) return true;
  const signs = text.match(/[{}()[\]=<>;|$`\\]/gu)?.length ?? 0;
  return signs >= 3 && signs * 12 > text.length;
}

/** Log line or error message. People search for their words, and a missing one changes the meaning, as in "expected 2 to be 1". */
const REPORTED =
  /^\W?\d{2,4}[-:/]\d{2}[-:/]|\b(?:ERROR|FATAL|WARN(?:ING)?|DEBUG|TRACE)\b|[A-Za-z](?:Error|Exception)\b|\berror(?: \w+)?: /u;

const CODE =
  /^(?:\d+[:|]\s*)?(?:from \S+ import |import [\w{*."']|(?:async )?(?:def|function|class|fn|func) \w+|(?:const|let|var|export|public|private|return|raise|throw|elif|else|if|for|while|with|try|except|catch)\b.*[:;{(=]$|[$>#] ?\w+ |at \S+ ?\(|@\w+|\[[^\]]*\]$)|[;{]$|^[\w.]+\(.*\)$/u;
