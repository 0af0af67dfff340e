import { invalidInput, WorkrailError } from "../errors.ts";
import { checkContext, ownContext, tooLarge } from "../json/saved-content.ts";
import { type Context, isJsonObject, type JsonObject, type JsonValue } from "../model/context.ts";
import type { Limits } from "../model/limits.ts";
import type { Patch } from "./patch.ts";
import { quoted } from "./describe-value.ts";
import { checkJson, copyOf } from "../json/check-json.ts";
import { parseJson } from "../json/parse-json.ts";

/** State given to be saved: the whole context, or a patch. */
export type GivenState = (
  | {
      readonly context: Context;
      readonly patch?: undefined;
    }
  | { readonly context?: undefined; readonly patch: Patch }
) & {
  /** Fields that came as texts and were parsed as JSON. */
  readonly parsed: readonly string[];
};

/**
 * Captures a state, so that later changes by the caller have no effect.
 *
 * @throws INVALID_INPUT unless exactly one of `context` and `patch` is given and valid; TOO_LARGE.
 */
export function parseGivenState(given: { readonly context?: unknown; readonly patch?: unknown }, limits: Limits): GivenState {
  const parsed: string[] = [];
  const reading = { limits, read: (field: string): void => void parsed.push(field) };
  if (given.patch === undefined) {
    const context = ownText(given.context, "context", reading);
    if (context === undefined) throw neither();
    if (typeof given.context === "string") return { context: checkContext(context, limits).context, parsed };
    return { context: ownContext(context, limits), parsed };
  }
  const patch = ownText(given.patch, "patch", reading);
  if (!isJsonObject(patch)) throw noObject(patch);
  const own = parsePatch(patch, reading);
  if (given.context !== undefined) throw both(own);
  return { patch: own, parsed };
}

function neither(): WorkrailError {
  return invalidInput("context", "context or patch is required.", `Send the whole state as context, or the changes as patch: ${FORM}.`);
}

const FORM = `{"patch":{"set":{"key":...},"append":{"list":[...]},"remove":["key"]}}`;

function noObject(given: unknown): WorkrailError {
  const what = Array.isArray(given) ? "patch is not a JSON Patch: it is an object, not a list." : "patch must be an object.";
  return invalidInput("patch", what, `Send ${FORM}.`);
}

function both({ set, append, remove }: Patch): WorkrailError {
  const told = [
    ...(set.length === 0 ? [] : [`"set":{${names(set.map(([name]) => name))}}`]),
    ...(append.length === 0 ? [] : [`"append":{${names(append.map(([name]) => name))}}`]),
    ...(remove.length === 0 ? [] : [`"remove":[...]`]),
  ];
  return invalidInput(
    "patch",
    "context and patch cannot be given together.",
    `To save changes, leave context out: {"patch":{${told.join(",")}}}. To replace the whole state, leave patch out.`,
  );
}

const MOST_NAMED = 5;

function names(keys: readonly string[]): string {
  const named = keys.slice(0, MOST_NAMED).map((name) => `${quoted(name)}:...`);
  return [...named, ...(keys.length > MOST_NAMED ? ["..."] : [])].join(",");
}

const FIELDS = ["set", "append", "remove"];

/**
 * Parses a patch. A `set`, `append` or `remove` that came as text is parsed as JSON; values inside are kept as they are.
 *
 * @throws INVALID_INPUT with the corrected call.
 */
function parsePatch(given: JsonObject, reading: Reading): Patch {
  checkFields(given);
  const {
    set = {},
    append = {},
    remove = [],
  } = Object.fromEntries(Object.entries(given).map(([field, value]) => [field, ownText(value, `patch.${field}`, reading)]));
  for (const [field, value] of Object.entries({ set, append })) {
    if (!isJsonObject(value)) throw invalid(field, "an object of keys and values", `{"${field}":{"key":...}}`);
  }
  if (!isListOfTexts(remove)) {
    throw invalid("remove", "a list of keys", `{"remove":[${typeof remove === "string" ? quoted(remove) : `"key"`}]}`);
  }
  // A patch wraps a context's values in two more levels.
  checkJson({ set, append, remove }, { ...reading.limits, maxDepth: reading.limits.maxDepth + 2 }, "patch");
  return {
    set: Object.entries(copyOf(set as JsonObject) as JsonObject),
    append: Object.entries(copyOf(append as JsonObject) as JsonObject).map(([name, items]) => [name, asItems(items)]),
    remove: [...remove],
  };
}

function asItems(items: JsonValue): readonly JsonValue[] {
  return Array.isArray(items) ? (items as readonly JsonValue[]) : [items];
}

function checkFields(given: JsonObject): void {
  const fields = Object.keys(given);
  const unknown = fields.filter((name) => !FIELDS.includes(name));
  if (fields.length > 0 && unknown.length === 0) return;
  const isBare = fields.length === unknown.length;
  const message = isBare ? "patch has none of set, append and remove." : `patch has no field ${unknown.map(quoted).join(", ")}.`;
  const set = names(unknown.length === 0 ? ["key"] : unknown);
  throw new WorkrailError("INVALID_INPUT", message, {
    details: { field: "patch" },
    hint: `New values go into set: {"patch":{"set":{${set}}}}. append adds to lists, remove is a list of keys.`,
  });
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function invalid(field: string, rule: string, form: string): WorkrailError {
  return invalidInput(`patch.${field}`, `patch.${field} must be ${rule}.`, `Send {"patch":${form}}.`);
}

interface Reading {
  readonly limits: Limits;
  /** Called with each field whose text was parsed as JSON. */
  readonly read: (field: string) => void;
}

/**
 * Returns the value, or the parsed JSON when the value is a text: models send objects that way.
 *
 * @throws INVALID_INPUT for a text that is not JSON; TOO_LARGE.
 */
function ownText(given: unknown, field: string, { limits, read }: Reading): unknown {
  if (typeof given !== "string" || (field === "patch.remove" && !given.trimStart().startsWith("["))) return given;
  if (given.length > limits.maxContextBytes) throw tooLarge(given.length, limits);
  const value = parsed(given, field);
  read(field);
  return value;
}

function parsed(text: string, field: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    // The engine's message is dropped because it quotes the text.
    throw invalidInput(field, `${field} is a text that is not JSON.`, `Send ${field} as an object, not as text.`);
  }
}
