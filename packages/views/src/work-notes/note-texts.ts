import { decides, demandsOrRestricts, forbids, isOpen } from "../handoff/cues.ts";
import { cut } from "../handoff/read/plain.ts";
import { ERROR_LINE, kindOfLine, sentencesOf } from "../handoff/read/sentences.ts";
import { LONGEST_NOTED } from "./work-notes.ts";

/** In a prompt with more lines than this, the middle counts as pasted text. */
const MOST_LINES = 80;
const PASTED_EDGE = 30;

/** Sentences of a person, without code and logs. */
function* sentencesIn(text: string): Generator<string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const own = lines.length > MOST_LINES ? [...lines.slice(0, PASTED_EDGE), ...lines.slice(-PASTED_EDGE)] : lines;
  let isCode = false;
  for (const line of own) {
    if (line.trimStart().startsWith("```")) isCode = !isCode;
    else if (!isCode && kindOfLine(line.trim()) === "prose")
      for (const sentence of line.trim().split(SENTENCE_END)) yield* sentencesOf(sentence);
  }
}

/** Separates short sentences too: one may forbid something, and the next may not. */
const SENTENCE_END = /(?<=[.!?][)"'*_]{0,2})\s+(?=["'(*_[¿¡]{0,3}[\p{Lu}`])|(?<=[。！？])/u;

export interface Demands {
  readonly prohibitions: readonly string[];
  readonly requirements: readonly string[];
}

/** Sentences of a prompt that forbid, limit or demand something, verbatim. */
export function demandsIn(prompt: string): Demands {
  const prohibitions: string[] = [];
  const requirements: string[] = [];
  for (const sentence of sentencesIn(prompt)) {
    const noted = cut(sentence, LONGEST_NOTED.sentence);
    if (forbids(sentence)) prohibitions.push(noted);
    else if (demandsOrRestricts(sentence)) requirements.push(noted);
  }
  return { prohibitions, requirements };
}

/** Sentences of the model with a decision and its reason. */
export function decisionsIn(reply: string): string[] {
  return [...sentencesIn(reply)].filter((sentence) => decides(sentence)).map((sentence) => cut(sentence, LONGEST_NOTED.sentence));
}

/** Sentences of a reply that name what comes next. */
export function openIn(reply: string): string[] {
  return [...sentencesIn(reply)].filter((sentence) => isOpen(sentence) && !sentence.trimEnd().endsWith("?"));
}

/** Questions in the last paragraphs of a reply. The model usually answers earlier questions itself. */
export function questionsIn(reply: string): string[] {
  return [...sentencesIn(reply)].slice(-4).filter((sentence) => /[?？]["')*_\]]*$/u.test(sentence.trimEnd()));
}

/** Lines of an output that give the reason of a failure; else its last lines. */
export function errorLinesOf(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== "" && !line.startsWith("Traceback (most recent call last)"));
  const places = lines.flatMap((line, at) => (ERROR_LINE.test(line) || DETAIL.test(line) ? [at] : []));
  const told =
    places.length === 0 ? lines.slice(-4) : [...new Set([...places.slice(0, 5), ...places.slice(-5)])].map((at) => lines[at] ?? "");
  return cut([...new Set(told.map((line) => cut(line.trim(), 200)))].join("\n"), LONGEST_NOTED.error);
}

/** Lines beside an error that tell the expected value and the place. */
const DETAIL = /^\s*(?:[+-] ?(?:expected|actual)|expected\b|actual\b|received\b|[E>] {2,}|❯|at .+:\d+)/iu;

/** The line of an error, also in a list and behind the code of a rule: `- E999 SyntaxError: invalid syntax`. */
const NAMED_ERROR = String.raw`[ \t]*(?:[-*•] )?(?:[A-Z]+\d+:? )?[\w.]*(?:Error|Exception): `;
const REASON = new RegExp(`^${NAMED_ERROR}`, "u");

/** The line of an output that tells best why it failed: the last error of a traceback, else the first line about it. */
export function reasonIn(output: string): string {
  const lines = errorLinesOf(output).split("\n");
  return lines.findLast((line) => REASON.test(line)) ?? lines[0] ?? "";
}

const FAILED = new RegExp(
  String.raw`^(?:Traceback \(most recent call last\)|${NAMED_ERROR}|.*: (?:command not found|No such file or directory)$|FAILED\b|={3,} .*\d+ failed|not ok \d)`,
  "mu",
);

/** True when an output looks like a failure. Used when the host gives no exit code. */
export function looksFailed(output: string): boolean {
  return FAILED.test(output);
}
