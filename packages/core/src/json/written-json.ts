import { isJsonObject, type JsonValue } from "../model/context.ts";
import { canonicalParts } from "./canonical-parts.ts";
import { SHORT_TEXT } from "./text-parts.ts";

/**
 * JSON text of a value, in parts. A single large text would be in memory twice while it is built, and take longer to build than
 * its parts.
 */
export type WrittenJson =
  | string
  | { readonly kind: "object"; readonly members: readonly { readonly key: string; readonly value: WrittenJson }[] }
  | {
      readonly kind: "array";
      /** JSON arrays of consecutive items. */
      readonly runs: readonly string[];
    };

/** Values nested deeper are written in one go. */
const LEVELS = 4;
/** Approximate size of a run of array items in characters, and its largest number of items. */
const RUN_CHARACTERS: number = SHORT_TEXT;
const RUN_ITEMS = 1_000;

/** Writes a value that passed `checkJson`, like `JSON.stringify`. */
export function writeJson(value: JsonValue, levels: number = LEVELS): WrittenJson {
  if (levels === 0 || typeof value !== "object" || value === null) return JSON.stringify(value);
  if (!isJsonObject(value)) return { kind: "array", runs: [...runsOf(value)] };
  return { kind: "object", members: Object.entries(value).map(([key, member]) => ({ key, value: writeJson(member, levels - 1) })) };
}

/** Chooses the length of each run from the size of the previous one. */
function* runsOf(items: readonly JsonValue[]): Generator<string> {
  for (let from = 0, count = 1; from < items.length;) {
    const text = JSON.stringify(items.slice(from, from + count));
    yield text;
    from += count;
    count = Math.max(1, Math.min(RUN_ITEMS, Math.floor((count * RUN_CHARACTERS) / text.length)));
  }
}

/** Yields the text in parts. */
export function* writtenTexts(json: WrittenJson): Generator<string> {
  if (typeof json === "string") yield json;
  else if (json.kind === "object") {
    for (const [index, { key, value }] of json.members.entries()) {
      yield `${index === 0 ? "{" : ","}${JSON.stringify(key)}:`;
      yield* writtenTexts(value);
    }
    yield json.members.length === 0 ? "{}" : "}";
  } else {
    for (const [index, run] of json.runs.entries()) {
      yield index === 0 ? "[" : ",";
      yield run.slice(1, -1);
    }
    yield json.runs.length === 0 ? "[]" : "]";
  }
}

/** Yields the canonical JSON in parts. Some parts are empty: they only give other work a turn. */
export function* canonicalTexts(json: WrittenJson): Generator<string> {
  if (typeof json === "string") yield* canonicalParts(json);
  else if (json.kind === "object") {
    yield "{";
    const sorted = json.members.toSorted((one, other) => (one.key < other.key ? -1 : 1));
    for (const [index, { key, value }] of sorted.entries()) {
      yield `${index === 0 ? "" : ","}${JSON.stringify(key)}:`;
      yield* canonicalTexts(value);
    }
    yield "}";
  } else {
    yield "[";
    for (const [index, run] of json.runs.entries()) {
      if (index > 0) yield ",";
      yield* withinBrackets(canonicalParts(run));
    }
    yield "]";
  }
}

/** Drops the first and the last character. */
function* withinBrackets(parts: Iterable<string>): Generator<string> {
  let isFirst = true;
  let held = "";
  for (const part of parts) {
    if (part === "") {
      yield "";
      continue;
    }
    yield held;
    held = isFirst ? part.slice(1) : part;
    isFirst = false;
  }
  yield held.slice(0, -1);
}
