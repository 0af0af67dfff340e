import { WorkrailError } from "../errors.ts";
import { isJsonObject, type JsonValue } from "../model/context.ts";
import type { ArrayStep, Delta, ObjectDelta, Splice } from "./delta.ts";

/**
 * Applies a delta to its base. The base is not changed; the result may share parts with it.
 *
 * @throws CHECKPOINT_CORRUPT when the delta is malformed or does not fit the base.
 */
export function applyDelta(base: JsonValue, delta: JsonValue): JsonValue {
  try {
    return apply(base, base, delta as Delta);
  } catch (error) {
    // A malformed delta, such as another value in place of a list. Catching it here saves checks at every step.
    if (error instanceof TypeError) throw unfit("is malformed", error);
    throw error;
  }
}

function apply(root: JsonValue, base: JsonValue | undefined, delta: Delta): JsonValue {
  if (typeof delta !== "object" || delta === null) throw unfit("is not a delta");
  if ("set" in delta) return delta.set;
  if ("new" in delta) return apply(root, undefined, delta.new);
  if ("copy" in delta) return copy(root, delta.copy);
  if ("object" in delta) return changeObject(root, base, delta.object);
  if ("array" in delta) return changeArray(root, base, delta.array);
  if ("text" in delta) return changeText(base, delta.text);
  if (!("keep" in delta) || base === undefined) throw unfit("is not a delta");
  return base;
}

function copy(root: JsonValue, path: readonly (string | number)[]): JsonValue {
  let value: JsonValue | undefined = root;
  for (const segment of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment))
      throw unfit("copies from a place that does not exist");
    value = (value as { readonly [key: string | number]: JsonValue })[segment];
  }
  return value as JsonValue;
}

function changeObject(root: JsonValue, base: JsonValue | undefined, { drop = [], change = {}, order }: ObjectDelta): JsonValue {
  const from = base === undefined ? {} : base;
  if (!isJsonObject(from) || !isJsonObject(change)) throw unfit("changes an object that does not exist");
  const members = new Map<string, JsonValue>(Object.entries(from));
  for (const key of drop) members.delete(key);
  for (const [key, delta] of Object.entries(change)) members.set(key, apply(root, members.get(key), delta));
  if (order === undefined) return Object.fromEntries(members);
  if (order.length !== members.size || !order.every((key) => members.has(key))) throw unfit("orders keys that do not exist");
  return Object.fromEntries(order.map((key) => [key, members.get(key) as JsonValue]));
}

function changeArray(root: JsonValue, base: JsonValue | undefined, steps: readonly ArrayStep[]): JsonValue {
  const from: readonly JsonValue[] = base === undefined ? [] : Array.isArray(base) ? base : never("changes an array that does not exist");
  const items: JsonValue[] = [];
  let at = 0;
  for (const step of steps) {
    if (typeof step === "number") {
      const end = at + Math.abs(step);
      if (end > from.length) throw unfit("takes more items than exist");
      if (step > 0) for (let index = at; index < end; index++) items.push(from[index] as JsonValue);
      at = end;
    } else if ("insert" in step) {
      for (const item of step.insert) items.push(item);
    } else if ("new" in step) {
      items.push(apply(root, undefined, step.new));
    } else {
      items.push(apply(root, from[at], step.change));
      at += 1;
    }
  }
  return items;
}

function changeText(base: JsonValue | undefined, splices: readonly Splice[]): string {
  if (typeof base !== "string") throw unfit("changes a text that does not exist");
  let text = "";
  let at = 0;
  for (const [offset, deleted, inserted] of splices) {
    if (offset < at || offset + deleted > base.length) throw unfit("splices beyond the end of the text");
    text += base.slice(at, offset) + inserted;
    at = offset + deleted;
  }
  return text + base.slice(at);
}

function never(what: string): never {
  throw unfit(what);
}

function unfit(what: string, cause?: unknown): WorkrailError {
  return new WorkrailError("CHECKPOINT_CORRUPT", `The stored checkpoint's delta ${what}.`, { cause });
}
