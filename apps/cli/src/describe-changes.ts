import type { EntryChange, EntryState } from "@workrail/runtime";
import type { JsonValue } from "@workrail/core";
import { escapeJson, escapeText } from "@workrail/process";
import { diffWordsWithSpace, structuredPatch } from "diff";
import { styled } from "./print.ts";

/** Most lines of a difference. A longer one is not useful. */
const MOST_LINES = 60;
/** Bounds the comparison of texts that have nothing in common. */
const TIMEOUT_MS = 2_000;
const CONTEXT_LINES = 2;

/** Describes the change of an entry by lines, or by words for a single line. */
export function describeChange({ key, change, from, to }: EntryChange): readonly string[] {
  return [headOf({ key, change, from, to }), ...bodyOf(change, from, to).map((line) => `  ${line}`)];
}

function headOf({
  key,
  change,
  from,
  to,
}: {
  key: string;
  change: string;
  from?: EntryState | undefined;
  to?: EntryState | undefined;
}): string {
  const tokens = (to?.tokens ?? 0) - (from?.tokens ?? 0);
  const layers = from === undefined || to === undefined || from.layer === to.layer ? (to ?? from)?.layer : `${from.layer} -> ${to.layer}`;
  const title = styled("bold", escapeText(key), process.stdout);
  return `${title}  ${change}, ${layers ?? ""}, ${signed(tokens)} tokens`;
}

function bodyOf(change: EntryChange["change"], from: EntryState | undefined, to: EntryState | undefined): readonly string[] {
  if (change === "moved") return [];
  if (from === undefined || to === undefined) {
    const [sign, value] = from === undefined ? ["+", to?.value] : ["-", from.value];
    return short(linesOf(value ?? null).map((line) => coloured(`${sign} ${line}`)));
  }
  const [before, after] = [textOf(from.value), textOf(to.value)];
  if (!before.includes("\n") && !after.includes("\n") && typeof from.value === typeof to.value) return [byWord(before, after)];
  return short(byLine(before, after));
}

/** Marks changed words as `[-gone-]` and `{+new+}`, as other programs do. */
function byWord(before: string, after: string): string {
  const parts = diffWordsWithSpace(before, after, { timeout: TIMEOUT_MS });
  if (parts === undefined) return TOO_DIFFERENT;
  return parts
    .map(({ value, added, removed }) => {
      const text = escapeJson(value);
      if (added) return styled("green", `{+${text}+}`, process.stdout);
      return removed ? styled("red", `[-${text}-]`, process.stdout) : text;
    })
    .join("");
}

function byLine(before: string, after: string): readonly string[] {
  const patch = structuredPatch("", "", before, after, undefined, undefined, { context: CONTEXT_LINES, timeout: TIMEOUT_MS });
  if (patch === undefined) return [TOO_DIFFERENT];
  return patch.hunks.flatMap(({ lines }, index) => [
    ...(index === 0 ? [] : ["..."]),
    ...lines.filter((line) => !line.startsWith("\\")).map((line) => coloured(`${line.slice(0, 1)} ${escapeJson(line.slice(1))}`)),
  ]);
}

const TOO_DIFFERENT = "(too different to compare)";

function coloured(line: string): string {
  if (line.startsWith("+")) return styled("green", line, process.stdout);
  return line.startsWith("-") ? styled("red", line, process.stdout) : line;
}

function short(lines: readonly string[]): readonly string[] {
  return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `... and ${lines.length - MOST_LINES} more lines`];
}

/** Returns a string unchanged, and any other value as indented JSON. */
function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

function linesOf(value: JsonValue): readonly string[] {
  return textOf(value).split("\n").map(escapeJson);
}

/** Formats a number as `+5`, `-5` or `0`. */
export function signed(number: number): string {
  return `${number > 0 ? "+" : ""}${number.toLocaleString("en-US")}`;
}
