import { isJsonObject, type JsonValue } from "@workrail/core";

/** Numbers of saved and kept parts of a shortened value, and the beginnings of the missing ones. */
export interface KeptParts {
  readonly unit: "row" | "item" | "line" | "field";
  readonly kept: number;
  readonly of: number;
  /** The first missing parts as text, each shortened. */
  readonly missing: readonly string[];
}

const MOST_MISSING = 500;
const LONGEST_PART = 200;

/** The row of column names of a table. */
const HEADER = /^\([^()]+ \| [^()]+\)$/u;
/** Position of a part, written where others before it are missing. */
const POSITION = /^\[(?<at>\d+)\] /u;

/** Compares a shortened value with the saved one. Returns `undefined` when no part is missing, or its parts cannot be recognised. */
export function countKeptParts(saved: JsonValue, shown: JsonValue): KeptParts | undefined {
  if (typeof saved === "string") return typeof shown === "string" ? linesOf(saved, shown) : undefined;
  if (Array.isArray(saved)) return Array.isArray(shown) ? itemsOf(saved, shown) : undefined;
  if (!isJsonObject(saved) || !isJsonObject(shown)) return undefined;
  const parts = Object.entries(saved).map(([key, value]) => ({ text: `${key}: ${textOf(value)}`, isThere: Object.hasOwn(shown, key) }));
  return counted("field", parts);
}

function linesOf(saved: string, shown: string): KeptParts | undefined {
  const left = new Map<string, number>();
  for (const line of shown.split("\n")) left.set(line.trim(), (left.get(line.trim()) ?? 0) + 1);
  const lines = saved.split("\n").filter((line) => line.trim() !== "");
  return counted(
    "line",
    lines.map((text) => {
      const count = left.get(text.trim()) ?? 0;
      left.set(text.trim(), count - 1);
      return { text, isThere: count > 0 };
    }),
  );
}

function itemsOf(saved: readonly JsonValue[], shown: readonly JsonValue[]): KeptParts | undefined {
  const isTable = typeof shown[0] === "string" && HEADER.test(shown[0]);
  const there = new Set<number>();
  let at = 0;
  for (const item of isTable ? shown.slice(1) : shown) {
    const position = typeof item === "string" ? POSITION.exec(item)?.groups?.["at"] : undefined;
    if (position !== undefined) at = Number(position);
    there.add(at);
    at += 1;
  }
  return counted(
    isTable ? "row" : "item",
    saved.map((item, index) => ({ text: textOf(item), isThere: there.has(index) })),
  );
}

function counted(unit: KeptParts["unit"], parts: readonly { readonly text: string; readonly isThere: boolean }[]): KeptParts | undefined {
  const gone = parts.filter(({ isThere }) => !isThere);
  if (gone.length === 0) return undefined;
  const missing = gone.slice(0, MOST_MISSING).map(({ text }) => text.slice(0, LONGEST_PART).toWellFormed());
  return { unit, kept: parts.length - gone.length, of: parts.length, missing };
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
