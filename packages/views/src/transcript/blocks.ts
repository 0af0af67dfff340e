import { withoutBlobs } from "../condense/without-blobs.ts";
import { fenceAround, selfContained } from "./fences.ts";
import { type Part, SPEAKERS, type Turn } from "./turn.ts";

/** Block of a page. Its text may be cut anywhere; the surrounding markup must stay complete. */
export interface Block {
  readonly before: string;
  readonly text: string;
  readonly after: string;
  /** Repairs a cut text so that its Markdown stays self-contained. */
  readonly mend?: (text: string) => string;
}

/** Longer tool outputs are folded. */
const FOLDED_LINES = 20;
const FOLDED_CHARACTERS = 2_000;

/** Yields the blocks of a page with speakers as headings. Blocks are made on demand, because the page may be full before the end. */
export function* blocksOf(turns: readonly Turn[]): Generator<Block, void, undefined> {
  const speakers = new Set([...SPEAKERS.values(), ...turns.flatMap(({ speaker }) => speaker ?? [])]);
  const headings = new Set(Array.from(speakers, headingOf));
  // Prevents content that imitates a speaker's heading.
  const isTaken = (line: string): boolean => headings.has(line.trim());
  for (const { speaker, parts } of turns) {
    if (speaker !== undefined) yield { before: headingOf(speaker), text: "", after: "" };
    for (const part of parts) yield blockOf(part, isTaken);
  }
}

function headingOf(speaker: string): string {
  return `## ${inOneLine(speaker)}`;
}

function blockOf(part: Part, isTaken: (line: string) => boolean): Block {
  const text = withoutBlobs(visible(part.text));
  switch (part.kind) {
    case "text":
      return { before: "", text: trimmed(text), after: "", mend: (piece) => selfContained(piece, isTaken) };
    case "thinking":
      return folded("Thinking", text);
    case "call":
      return fenced(text, { before: `**Call of ${code(part.tool)}**\n\n`, language: languageOf(text) });
    case "result":
      return result(part.tool, part.failed, text);
    case "attachment":
      return { before: `*[${asWords(inOneLine(text))}]*`, text: "", after: "" };
    case "data":
      return fenced(text, { language: languageOf(text) });
  }
}

function result(tool: string | undefined, failed: boolean, text: string): Block {
  const title = `${failed ? "Failure" : "Result"}${tool === undefined ? "" : " of "}`;
  const lines = trimmed(text).split("\n").length;
  if (lines <= FOLDED_LINES && text.length <= FOLDED_CHARACTERS) {
    return fenced(text, { before: `**${title}${tool === undefined ? "" : code(tool)}**\n\n`, language: languageOf(text) });
  }
  const name = tool === undefined ? "" : `<code>${asHtml(inOneLine(tool))}</code>`;
  return folded(`${title}${name}, ${lines === 1 ? "1 line" : `${lines} lines`}`, text, languageOf(text));
}

function folded(summary: string, text: string, language = ""): Block {
  return fenced(text, { before: `<details>\n<summary>${summary}</summary>\n\n`, after: "\n\n</details>", language });
}

interface Around {
  readonly before?: string;
  readonly after?: string;
  readonly language: string;
}

function fenced(text: string, { before = "", after = "", language }: Around): Block {
  const fence = fenceAround(text);
  return { before: `${before}${fence}${language}\n`, text: trimmed(text), after: `\n${fence}${after}` };
}

function languageOf(text: string): string {
  if (!/^\s*[[{]/u.test(text)) return "";
  try {
    JSON.parse(text);
    return "json";
  } catch {
    return "";
  }
}

/** Removes terminal control sequences, and replaces control characters that make programs treat a file as binary. */
function visible(text: string): string {
  return text.replaceAll(/\r\n?/gu, "\n").replaceAll(COLOUR, "").replaceAll(CONTROL, "\ufffd");
}

// oxlint-disable-next-line no-control-regex -- these are what it is about
const COLOUR = /\u001b\[[0-9;?]*[a-zA-Z]/gu;
const CONTROL = /(?![\n\t])\p{Cc}/gu;

/** Removes leading and trailing blank lines. */
function trimmed(text: string): string {
  const first = text.search(/\S/u);
  return first === -1 ? "" : text.slice(text.lastIndexOf("\n", first) + 1).trimEnd();
}

const LONGEST_NAME = 100;

export function inOneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{C}]+/gu, " ").trim();
  return line.length <= LONGEST_NAME * 2 ? line : `${line.slice(0, LONGEST_NAME)}...`;
}

function code(name: string): string {
  return `\`${inOneLine(name).replaceAll("`", "'")}\``;
}

function asHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** Escapes all Markdown. */
function asWords(text: string): string {
  return asHtml(text).replaceAll(/[*_`[\]\\]/gu, "\\$&");
}
