import { WorkrailError } from "../errors.ts";
import { isJsonObject, type JsonObject } from "./context.ts";

/** Value of an attribute that filters compare. */
export type AttributeValue = string | number | boolean | null;

/** Attributes that a checkpoint must have, each with exactly this value. */
export type AttributeFilter = Readonly<Record<string, AttributeValue>>;

/** Most UTF-16 units of a name, and of a text, that is compared: catalogs index both. */
const LONGEST = { name: 64, text: 256 } as const;

/** Returns the attributes that filters compare. */
export function comparedAttributes(attributes: JsonObject): readonly (readonly [name: string, value: AttributeValue])[] {
  return Object.entries(attributes).filter((entry): entry is [string, AttributeValue] => isCompared(entry));
}

/** True when a checkpoint's attributes have every member of a filter. */
export function hasAttributes(attributes: JsonObject, filter: AttributeFilter): boolean {
  return Object.entries(filter).every(([name, value]) => Object.hasOwn(attributes, name) && attributes[name] === value);
}

/** @throws INVALID_INPUT when a filter is not an object, or has a value that is not compared. */
export function checkAttributeFilter(filter: AttributeFilter): void {
  const field = "attributes";
  const hint = "Compare texts, numbers, booleans and null. Label the checkpoint with a tag to find it by anything else.";
  if (!isJsonObject(filter)) throw new WorkrailError("INVALID_INPUT", `${field} must be an object.`, { details: { field }, hint });
  const wrong = Object.entries(filter).find((entry) => !isCompared(entry));
  if (wrong === undefined) return;
  const rule = `must be a text of at most ${LONGEST.text} characters, a number, a boolean or null, under a name of at most ${LONGEST.name}`;
  throw new WorkrailError("INVALID_INPUT", `${field}.${wrong[0].slice(0, LONGEST.name)} ${rule}.`, {
    details: { field, key: wrong[0] },
    hint,
  });
}

function isCompared([name, value]: readonly [string, unknown]): boolean {
  if (name.length > LONGEST.name) return false;
  return typeof value === "string" ? value.length <= LONGEST.text : value === null || typeof value === "boolean" || Number.isFinite(value);
}
