import { isJsonObject, type JsonValue } from "../model/context.ts";
import { canonicalParts } from "./canonical-parts.ts";

/**
 * The JSON text of a value, in parts. As one text a large one would be in memory twice while it is made, and that takes
 * longer than making its parts.
 */
export type WrittenJson =
  | string
  | { readonly kind: "object"; readonly members: readonly { readonly key: string; readonly value: WrittenJson }[] }
  | {
      readonly kind: "array";
      /** Arrays as well, which hold its items between them. */
      readonly runs: readonly string[];
    };

/** Deeper than that values are written in one go. */
const LEVELS = 3;
/** How many characters of an array's items are written in one go, roughly, and how many items at most. */
const RUN_CHARACTERS = 256 * 1024;
const RUN_ITEMS = 1_000;

/** What `JSON.stringify` writes, of a value that passed `checkJson`. */
export function writeJson(value: JsonValue, levels: number = LEVELS): WrittenJson {
  if (levels === 0 || typeof value !== "object" || value === null) return JSON.stringify(value);
  if (!isJsonObject(value)) return { kind: "array", runs: [...runsOf(value)] };
  return { kind: "object", members: Object.entries(value).map(([key, member]) => ({ key, value: writeJson(member, levels - 1) })) };
}

/** As long as those before let expect. */
function* runsOf(items: readonly JsonValue[]): Generator<string> {
  for (let from = 0, count = 1; from < items.length;) {
    const text = JSON.stringify(items.slice(from, from + count));
    yield text;
    from += count;
    count = Math.max(1, Math.min(RUN_ITEMS, Math.floor((count * RUN_CHARACTERS) / text.length)));
  }
}

/** The text, part by part. */
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

/** Its canonical JSON, part by part. Some parts are empty, where it took time to find the next. */
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

/** All but the first and the last character. */
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
