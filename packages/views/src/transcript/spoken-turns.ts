import { Fences } from "./fences.ts";
import { isUser, speakerOf, SPEAKERS, type Turn } from "./turn.ts";

interface Speech {
  readonly role: string | undefined;
  readonly lines: string[];
}

/**
 * Splits a text with speakers, as in `User: ...`. A text that does not begin with a speaker is one turn: a name with a colon
 * further down may be anything.
 */
export function spokenTurns(text: string): readonly Turn[] {
  const lines = text.split("\n");
  const first = lines.find((line) => line.trim() !== "");
  const speeches = first === undefined || readLabel(first) === undefined ? [{ role: undefined, lines }] : split(lines);
  return speeches.filter(({ role, lines }) => role !== undefined || !isBlank(lines)).map(turnOf);
}

function split(lines: readonly string[]): readonly Speech[] {
  const speeches: Speech[] = [];
  const fences = new Fences();
  for (const line of lines) {
    const label = fences.isCode(line) ? undefined : readLabel(line);
    if (label === undefined) speeches.at(-1)?.lines.push(line);
    else speeches.push({ role: label.role, lines: [label.rest] });
  }
  return speeches;
}

/** Label such as `User: hello`, `**AI:** hello` or `Human:`. */
const LABEL = /^ {0,3}(?:\*\*|__)?([a-z]{2,12})(?:\*\*|__)?[ \t]*:(?:\*\*|__)?(?:[ \t]+(.*)|)$/isu;

function readLabel(line: string): { readonly role: string; readonly rest: string } | undefined {
  const [, role = "", rest = ""] = LABEL.exec(line.trimEnd()) ?? [];
  return SPEAKERS.has(role.toLowerCase()) ? { role, rest } : undefined;
}

function turnOf({ role, lines }: Speech): Turn {
  const speaker = role === undefined ? {} : { speaker: speakerOf(role) };
  const parts = isBlank(lines) ? [] : [{ kind: "text" as const, text: lines.join("\n") }];
  return { ...speaker, isUser: role !== undefined && isUser(role), parts };
}

function isBlank(lines: readonly string[]): boolean {
  return lines.every((line) => line.trim() === "");
}
