import { isJsonObject, type JsonValue } from "@workrail/core";
import type { Ranked } from "./rank-excerpts.ts";

/** Renders the chosen excerpts of an entry under their keys, in order. Lists stay lists, texts stay texts. */
export function renderEntry(value: JsonValue, chosen: readonly Ranked[]): JsonValue {
  const [only] = chosen;
  if (chosen.length === 1 && only?.value !== undefined && only.member === undefined) return only.value;
  if (isJsonObject(value)) return renderObject(chosen);
  const lines = excerptLines(chosen);
  return Array.isArray(value) ? lines : lines.join("\n");
}

function renderObject(chosen: readonly Ranked[]): JsonValue {
  const members = new Map<string, Ranked[]>();
  for (const excerpt of chosen) {
    const name = excerpt.member ?? "…";
    members.set(name, [...(members.get(name) ?? []), excerpt]);
  }
  return Object.fromEntries(
    [...members].map(([name, ones]): [string, JsonValue] => [
      name,
      ones.length === 1 && ones[0]?.value !== undefined ? ones[0].value : oneOrMore(excerptLines(ones)),
    ]),
  );
}

function oneOrMore(lines: readonly string[]): JsonValue {
  return lines.length === 1 ? (lines[0] as string) : lines;
}

/** Joins adjacent excerpts into lines; after a gap in a list, the index precedes the line. */
export function excerptLines(chosen: readonly Ranked[]): string[] {
  const lines: string[] = [];
  let last: Ranked | undefined;
  let header: string | undefined;
  for (const excerpt of chosen) {
    const { index, label, text, at } = excerpt;
    const isHeader = label !== undefined && (label.includes(" | ") || label.startsWith("# "));
    if (isHeader && label !== header) {
      lines.push(label.startsWith("# ") ? label : `(${label})`);
      header = label;
    }
    const isSameItem = last?.index === index && index !== undefined && !isHeader;
    if (last !== undefined && last.label === label && (isSameItem || (excerpt.continues === true && last.at === at - 1))) {
      lines[lines.length - 1] += `${at === last.at + 1 ? " " : " … "}${text}`;
    } else {
      const isGap = index !== undefined && index > 0 && index !== last?.index && (last?.index === undefined || index !== last.index + 1);
      const mark = isGap ? `[${index}] ` : "";
      const name = label === undefined || isHeader ? "" : `${label}: `;
      lines.push(`${mark}${name}${text}`);
    }
    last = excerpt;
  }
  return lines;
}

/** Counts the excerpts of each entry; 0 for an entry with only its beginning. */
export function countByKey(excerpts: readonly Ranked[]): Map<string, number> {
  return new Map([...byEntry(excerpts)].map(([key, ones]) => [key, ones.filter(({ isStub }) => isStub !== true).length]));
}

/** Groups excerpts by entry. Drops the beginning of an excerpt when the entry has others. */
export function byEntry(excerpts: readonly Ranked[]): Map<string, Ranked[]> {
  const entries = new Map<string, Ranked[]>();
  for (const excerpt of excerpts) {
    const ones = entries.get(excerpt.key);
    if (ones === undefined) entries.set(excerpt.key, [excerpt]);
    else if (ones[0]?.isStub === true) ones.splice(0, 1, excerpt);
    else if (excerpt.isStub !== true) ones.push(excerpt);
  }
  return entries;
}
