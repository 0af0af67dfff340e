import { splitsPair } from "@workrail/core";
import { widthOf } from "./plain.ts";

/** Longer sentences are split. */
const LONGEST = 220;
const END = /(?<=(?:[!?]|(?<!\b\d{1,2})\.)[)"'*_\]]{0,3})\s+(?=["'(*_[¿¡]{0,3}[\p{Lu}\p{N}`])|(?<=[。！？])|(?<=;)\s+/u;

/** Splits a line into sentences, and long sentences at spaces. */
export function sentencesOf(line: string): string[] {
  if (widthOf(line) <= 100) return [line];
  const sentences: string[] = [];
  for (const sentence of line.split(END)) {
    const last = sentences.at(-1);
    // Joins short fragments, such as abbreviations, which say nothing alone.
    if (last !== undefined && (widthOf(last) < 24 || widthOf(sentence) < 12) && widthOf(last) + widthOf(sentence) < LONGEST) {
      sentences[sentences.length - 1] = CJK.test(sentence) ? last + sentence : `${last} ${sentence}`;
    } else if (sentence.trim() !== "") sentences.push(sentence);
  }
  return sentences.flatMap((sentence) => (widthOf(sentence) > LONGEST ? cutAtBlanks(sentence) : [sentence.trim()]));
}

function cutAtBlanks(text: string): string[] {
  const pieces: string[] = [];
  for (let begin = 0; begin < text.length;) {
    let end = Math.min(text.length, begin + LONGEST);
    if (end < text.length) {
      const window = text.slice(begin + LONGEST / 2, end);
      const blank = Math.max(window.lastIndexOf(", "), window.lastIndexOf("; "), window.lastIndexOf("、"), window.lastIndexOf("，"));
      const at = blank >= 0 ? blank + 1 : window.lastIndexOf(" ");
      if (at > 0) end = begin + LONGEST / 2 + at;
      if (splitsPair(text, end)) end += 1;
    }
    const piece = text.slice(begin, end).trim();
    if (piece !== "") pieces.push(piece);
    begin = end;
  }
  return pieces;
}

/** Date or time at the start of a line in a log or journal. */
const STAMP =
  /^\W{0,2}(?:\d{2,4}[-./]\d{1,2}[-./]\d{1,4}|\d{1,2}:\d{2}(?::\d{2})?|\p{Lu}\p{L}{2} \d{1,2} \d\d:\d\d)\S*(?:[T ]+\d{1,2}:\d{2}\S*)?[\])]?\s*/u;
const LEVEL = /^\W{0,2}(?:INFO|DEBUG|TRACE|WARN(?:ING)?|NOTICE)\b/u;
/** Patterns after a date that only programs write. */
const LOGGED = /\b(?:INFO|DEBUG|TRACE|WARN|ERROR|FATAL)\b|(?<![\w.])[\w.]+=\S|^\S+\s+\S*\s*[{[]/u;
const CODE_LINE =
  /[;{}]\s*$|^\s*(?:import|export|const|let|var|def|class|return|if \(|for \(|while|function|public|private|#include|@@|[-+]{3} |diff --git|<\/?\w+[ >]|\/\/|\/\*|\* )|=>|^\s*["'}\])]/u;
const WORDS = /\p{L}{2,}/gu;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

export type LineKind = "prose" | "code" | "log" | "figures";

/** Classifies a line as a sentence, code, a log line, or figures. */
export function kindOfLine(line: string): LineKind {
  const stamp = STAMP.exec(line)?.[0];
  if (stamp !== undefined) return LOGGED.test(line) ? "log" : kindOfLine(line.slice(stamp.length).trimStart());
  if (LEVEL.test(line)) return "log";
  if (CJK.test(line)) return "prose";
  if (CODE_LINE.test(line)) return "code";
  const words = line.match(WORDS)?.reduce((sum, word) => sum + word.length, 0) ?? 0;
  const rest = line.replaceAll(/\s/gu, "").length;
  if (words < rest * 0.5) return "figures";
  return "prose";
}

export const ERROR_LINE: RegExp =
  /\b(?:[Ee]rror|ERROR|[Ee]xception|FATAL|[Ff]atal|[Pp]anic|Traceback|[Ff]ailed|FAIL(?:ED)?|[Ff]ailures?|failing|denied|refused|not found|AssertionError)\b|[a-z]Error\b|\b\d+ fail|✗|✘|❌/u;
