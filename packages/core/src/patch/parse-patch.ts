import { invalidInput, WorkrailError } from "../errors.ts";
import { checkJson, copyOf } from "../json/check-json.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/context.ts";
import { ownText, type Reading } from "./json-text.ts";
import type { Patch } from "./patch.ts";
import { quoted } from "./quoted-name.ts";

const FIELDS = ["set", "append", "remove"];

/**
 * Parses a patch. A `set`, `append` or `remove` that came as text is parsed as JSON; values inside are kept as they are.
 *
 * @throws INVALID_INPUT with the corrected call.
 */
export function parsePatch(given: JsonObject, reading: Reading): Patch {
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
  const names = Object.keys(given);
  const unknown = names.filter((name) => !FIELDS.includes(name));
  if (names.length > 0 && unknown.length === 0) return;
  const isBare = names.length === unknown.length;
  const entries = (unknown.length === 0 ? ["key"] : unknown.slice(0, MOST_NAMED)).map((name) => `${quoted(name)}:...`);
  const more = unknown.length > MOST_NAMED ? ",..." : "";
  const message = isBare ? "patch has none of set, append and remove." : `patch has no field ${unknown.map(quoted).join(", ")}.`;
  throw new WorkrailError("INVALID_INPUT", message, {
    details: { field: "patch" },
    hint: `New values go into set: {"patch":{"set":{${entries.join(",")}${more}}}}. append adds to lists, remove is a list of keys.`,
  });
}

const MOST_NAMED = 5;
function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function invalid(field: string, rule: string, form: string): WorkrailError {
  return invalidInput(`patch.${field}`, `patch.${field} must be ${rule}.`, `Send {"patch":${form}}.`);
}
