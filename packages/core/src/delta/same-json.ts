import { isJsonObject, type JsonValue } from "../model/context.ts";

/** True when two values have the same JSON text, including the order of keys. */
export function sameJson(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item: JsonValue, index) => sameJson(item, right[index] as JsonValue));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const leftKeys = Object.keys(left);
  const rightKeys = Object.keys(right);
  return (
    leftKeys.length === rightKeys.length &&
    leftKeys.every((key, index) => key === rightKeys[index] && sameJson(left[key] as JsonValue, right[key] as JsonValue))
  );
}
