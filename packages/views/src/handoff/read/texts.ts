import { partOfName } from "../handoff-part.ts";
import { parseData } from "../../condense/outline-data.ts";
import { readMessages } from "./conversations.ts";
import { type Message, voiceOfName } from "./messages.ts";
import { later, MOST_LATER_PENALTY, OF_PART, type Place, push, type Reading, recency } from "./place.ts";
import { ERROR_LINE, kindOfLine, sentencesOf } from "./sentences.ts";

const HEADING = /^(#{1,6})\s+(\S.*)$|^(?:\*\*|__)([^*_]{2,80}?):?(?:\*\*|__):?\s*$|^【(.{1,40})】\s*$|^■\s*(.{1,40})$/u;
const UNDERLINE = /^(?:={3,}|-{3,})\s*$/u;
const LABELLED = /^\s*(?:[-*+•・]\s+)?(?:\*\*|__)?([\p{L}][\p{L}\p{N} /_'’-]{1,38}?)(?:\*\*|__)?\s?[:：](?:\*\*|__)?\s*(.*)$/u;
const CHECKBOX = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?\[([ xX~>/!-]?)\]\s+(.*)$|^\s*([☐☑✅⬜✔✓])\s*(.*)$/u;
const BULLET = /^\s*(?:[-*+•・]|\d+[.)、])\s+/u;

export function readText(text: string, place: Place, to: Reading): void {
  const data = parseData(text);
  if (data !== undefined) return to.value(data, { ...place, depth: place.depth + 1 });
  const lines = text.split(/\r\n|\n|\r/u);
  const spoken = mailMessages(lines) ?? spokenMessages(lines);
  if (spoken !== undefined) return readMessages(spoken, place, to);
  const filled = lines.filter((line) => line.trim() !== "").length;
  if (filled <= 1) return readParagraph(text.trim(), place, to);
  readLines({ given: lines, filled }, place, to);
}

function readParagraph(text: string, place: Place, to: Reading): void {
  sentencesOf(text).forEach((unit, order) => push(to, later(place, order), { text: unit, continues: order > 0 }));
}

/** Longest result of joining two lines, in characters. */
const LONGEST_PAIR = 200;
const SHORTEST_ANNOUNCEMENT = 12;

function isAnnouncing(line: string): boolean {
  const told = line.trimEnd();
  return told.length > SHORTEST_ANNOUNCEMENT && (told.endsWith(":") || told.endsWith("："));
}

/** Joins a line that ends with a colon to the next one: "these files are damaged:" says nothing alone. */
function withAnnounced(lines: readonly string[]): readonly string[] {
  const joined = [...lines];
  joined.forEach((line, at) => {
    if (!isAnnouncing(line) || headingOf(line, lines[at + 1]) !== undefined || kindOfLine(line) === "code") return;
    const next = [at + 1, at + 2].find((place) => joined[place]?.trim() !== "") ?? at + 1;
    const announced = joined[next]?.trim() ?? "";
    if (announced === "" || line.length + announced.length > LONGEST_PAIR || /^(?:```|~~~)/u.test(announced)) return;
    if (headingOf(announced, joined[next + 1]) !== undefined || CHECKBOX.test(announced)) return;
    joined[next] = `${line.trimEnd()} ${announced}`;
    joined[at] = "";
  });
  return joined;
}

interface Lines {
  readonly given: readonly string[];
  /** Number of lines that are not blank. */
  readonly filled: number;
}

function readLines({ given, filled }: Lines, place: Place, to: Reading): void {
  const lines = withAnnounced(given);
  const headings = lines.map((line, at) => headingOf(line, lines[at + 1]));
  const repeated = repeatedLabels(lines);
  const lastHeading = headings.findLastIndex((heading) => heading !== undefined);
  const hasHeadings = lastHeading >= 0;
  let heading: string | undefined;
  let part = place.part;
  let isCode = false;
  let order = 0;
  let seen = 0;
  // Writes a heading without lines below as a line.
  const tellEmpty = (): void => {
    if (heading !== undefined && order === 0) push(to, { ...place, base: OF_PART.rest }, { text: heading });
  };
  lines.forEach((line, at) => {
    const trimmed = line.trim();
    if (trimmed === "" || UNDERLINE.test(trimmed)) return;
    if (/^(?:```|~~~)/u.test(trimmed)) {
      isCode = !isCode;
      return;
    }
    const title = isCode ? undefined : headings[at];
    if (title !== undefined) {
      tellEmpty();
      heading = title;
      part = partOfName(title) ?? place.part;
      order = 0;
      return;
    }
    seen += 1;
    const fromEnd = filled - seen;
    const label = heading === undefined ? place.label : `# ${heading}`;
    const isLast = hasHeadings && at > lastHeading;
    const edges = seen <= 2 ? 10 : fromEnd <= 2 ? 8 : 0;
    const base =
      (part === undefined ? OF_PART.rest : Math.max(OF_PART[part] - 4, place.base - 8)) +
      (isLast ? 10 : 0) +
      edges -
      Math.min(MOST_LATER_PENALTY, order * 0.9);
    const where: Place = { ...place, label, part, base, index: undefined };
    order += 1;
    if (isCode) return push(to, { ...where, part: "rest" }, { text: trimmed, part: "rest", base: 22 + edges });
    const shown = place.isHistory ? { ...where, base: where.base + recency(fromEnd) * 0.6 } : where;
    readLine({ line: trimmed, repeated }, MAIL_HEADER.test(trimmed) ? { ...shown, base: shown.base - OF_HEADER } : shown, to);
  });
  tellEmpty();
}

/** Technical header lines of a mail. */
const MAIL_HEADER =
  /^(?:>+ ?)?(?:Message-ID|In-Reply-To|References|Received|Return-Path|MIME-Version|Content-[\w-]+|X-[\w-]+|List-[\w-]+|User-Agent|DKIM-Signature|Date|From|To|Cc|Reply-To)\s?:/iu;
const OF_HEADER = 24;
/** A label that occurs more often belongs to a form, and names no part. */
const OFTEN = 3;

function repeatedLabels(lines: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const name = LABELLED.exec(line)?.[1];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count > OFTEN).map(([name]) => name));
}

const NONE: ReadonlySet<string> = new Set();

interface Line {
  readonly line: string;
  /** Labels that name no part. */
  readonly repeated?: ReadonlySet<string>;
}

/** Reads a line of a text, or a text in a list. */
export function readLine({ line, repeated = NONE }: Line, place: Place, to: Reading): void {
  const [, mark, boxed, sign, signed] = CHECKBOX.exec(line) ?? [];
  if (boxed !== undefined || signed !== undefined) {
    const state =
      sign === undefined
        ? mark === "x" || mark === "X"
          ? "done"
          : mark === " " || mark === ""
            ? "pending"
            : "active"
        : /[☐⬜]/u.test(sign)
          ? "pending"
          : "done";
    const base = state === "done" ? 36 : Math.max(place.base, state === "active" ? 92 : 84);
    return sentencesOf(line).forEach((unit, order) =>
      push(to, place, { text: unit, part: "work", base: base - order, continues: order > 0 }),
    );
  }
  const [, name = ""] = LABELLED.exec(line) ?? [];
  // A label with a number is a line of a log.
  const own = name === "" || /\d/u.test(name) || repeated.has(name) || MAIL_HEADER.test(line) ? undefined : partOfName(name);
  const found = kindOfLine(line);
  // A member of a named list counts, even if it reads like code: a command, a step.
  const kind = found === "code" && place.index !== undefined && place.part !== undefined ? "prose" : found;
  const base = kind === "prose" ? place.base : kind === "log" ? Math.min(place.base, 30) : Math.min(place.base, 34);
  const at = own === undefined ? { ...place, base } : { ...place, part: own, base: Math.max(base, OF_PART[own] - 6) };
  const bulk = kind === "code" || kind === "log" || kind === "figures";
  sentencesOf(line).forEach((unit, order) => {
    if (bulk && own === undefined) {
      const isError = ERROR_LINE.test(unit);
      push(to, at, {
        text: unit,
        part: isError ? "failures" : (at.part ?? "rest"),
        base: at.base - order + (isError ? 6 : 0),
        continues: order > 0,
      });
    } else push(to, { ...at, base: at.base - order * 0.6 }, { text: unit, continues: order > 0 });
  });
}

/** In characters; a longer line is a sentence after a marker, such as a shell comment. */
const LONGEST_HEADING = 100;

function headingOf(line: string, next: string | undefined): string | undefined {
  const [, , atx, bold, boxed, squared] = HEADING.exec(line.trim()) ?? [];
  const found = atx ?? bold ?? boxed ?? squared;
  if (found !== undefined && found.length > LONGEST_HEADING) return undefined;
  if (found !== undefined) return found.replace(/[*_#:\s]+$/u, "");
  const isUnderlined =
    next !== undefined &&
    UNDERLINE.test(next.trim()) &&
    line.trim() !== "" &&
    line.trim().length < 80 &&
    !line.includes("|") &&
    kindOfLine(line) === "prose";
  if (isUnderlined) return line.trim();
  // A short line that ends with a colon is a heading.
  return /^[\p{Lu}\p{Script=Han}\p{Script=Katakana}][^.!?:：]{1,48}[:：]$/u.test(line.trim()) && !BULLET.test(line)
    ? line.trim().slice(0, -1)
    : undefined;
}

const SENDER = /^(?:From|De|Von|Da|发件人|差出人)\s?[:：]\s*(\S.*)$/u;
const SENT = /^(?:Date|Sent|Datum|Gesendet|Fecha|Enviado|Envoyé|日期|日時)\s?[:：]\s*(\S.{0,40})$/u;
const SUBJECT = /^(?:Subject|Betreff|Asunto|Objet|主题|件名)\s?[:：]/u;
const LONGEST_SENDER = 60;

/** Splits a mail thread into messages with senders; `undefined` for other texts. */
function mailMessages(lines: readonly string[]): readonly (Message & { readonly index: number })[] | undefined {
  const starts = lines.flatMap((line, at) => (SENDER.test(line.trim()) ? [at] : []));
  if (starts.length < 2 || lines.slice(0, starts[0]).some((line) => line.trim() !== "")) return undefined;
  return starts.map((start, index) => {
    const mail = lines.slice(start, starts[index + 1]).map((line) => line.trim());
    const [, sender = ""] = SENDER.exec(mail[0] ?? "") ?? [];
    const sent = mail
      .slice(0, MOST_HEADERS)
      .map((line) => SENT.exec(line)?.[1])
      .find((found) => found !== undefined);
    const body = mail
      .slice(1)
      .filter((line, at) => at >= MOST_HEADERS || SUBJECT.test(line) || !(MAIL_HEADER.test(line) || SENT.test(line)));
    const name = sender.replace(/\s*<[^>]*>/u, "").slice(0, LONGEST_SENDER);
    return {
      speaker: sent === undefined ? name : `${name}, ${sent}`,
      index,
      said: [{ voice: voiceOfName(name) ?? "notes", text: body.join("\n") }],
    };
  });
}

const MOST_HEADERS = 8;

const SPOKEN =
  /^\s{0,3}(?:\*\*|__|\[|<)?(?:\[[^\]]{2,40}\]\s*|\d{1,2}:\d{2}(?::\d{2})?\s+|\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*\s+)?([\p{Lu}\p{Ll}\p{Lo}][\p{L}\p{N} ._'’-]{0,28}?)(?:\s*\([^)]{1,40}\))?(?:\*\*|__|\]|>)?\s?[:：](?:\*\*|__)?(?:\s+(.*)|$)/u;

/** Splits a text with named speakers into messages; `undefined` for other texts. */
function spokenMessages(lines: readonly string[]): readonly (Message & { readonly index: number })[] | undefined {
  const found = lines.map((line) => SPOKEN.exec(line));
  const names = new Map<string, number>();
  for (const match of found) if (match?.[1] !== undefined) names.set(match[1].trim(), (names.get(match[1].trim()) ?? 0) + 1);
  const filled = lines.filter((line) => line.trim() !== "").length;
  const known = [...names].filter(([name]) => voiceOfName(name) !== undefined);
  const knownLines = known.reduce((sum, [, count]) => sum + count, 0);
  const repeated = [...names].filter(([, count]) => count > 1);
  const isNamed =
    repeated.length > 1 &&
    repeated.reduce((sum, [, count]) => sum + count, 0) >= filled * 0.6 &&
    repeated.length <= Math.max(3, filled / 4);
  const isKnown = known.length > 1 && knownLines >= 3;
  if (!isKnown && !isNamed) return undefined;
  const speakers = new Set((isNamed ? repeated : known).map(([name]) => name));
  const messages: { speaker: string; index: number; lines: string[] }[] = [];
  lines.forEach((line, at) => {
    const name = found[at]?.[1]?.trim();
    if (name !== undefined && speakers.has(name))
      messages.push({
        speaker: name,
        index: messages.length,
        lines: [
          line
            .slice(line.search(/[:：]/u) + 1)
            .replace(/^(?:\*\*|__)/u, "")
            .trim(),
        ],
      });
    else if (messages.length === 0) messages.push({ speaker: "", index: 0, lines: [line] });
    else messages.at(-1)?.lines.push(line);
  });
  return messages.map(({ speaker, index, lines: said }) => ({
    speaker,
    index,
    said: [{ voice: voiceOfName(speaker) ?? "notes", text: said.join("\n") }],
  }));
}
