import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { type JsonValue, parseJson } from "@workrail/core";

/** Values deeper than this are left to the serialiser, which also handles cycles. */
const DEEPEST = 100;
/** Values serialised at once. Engines write several short texts faster than one long one. */
const AT_ONCE = 16;

const DECODER = new TextDecoder();

/**
 * Returns the JSON value that LangGraph's own serialiser writes for a value. Plain JSON is copied, which takes a fraction of the time of writing
 * and parsing it; only other values, such as messages, go through the serialiser. The value may change after the call.
 *
 * @param serde LangGraph's own.
 * @returns `undefined`, at once if possible, when the serialiser has to write the whole: for values that JSON omits, and for cycles.
 */
export function jsonOf(serde: SerializerProtocol, value: unknown): Promise<JsonValue | undefined> | undefined {
  const copying = new Copying();
  const copy = copying.copyOf(value, 0);
  return copying.isComplete ? withOthers(serde, copy, copying.others) : undefined;
}

async function withOthers(serde: SerializerProtocol, copy: Copy, others: readonly unknown[]): Promise<JsonValue | undefined> {
  if (others.length === 0) return copy as JsonValue;
  const writing: Promise<readonly JsonValue[] | undefined>[] = [];
  for (let from = 0; from < others.length; from += AT_ONCE) writing.push(writtenOf(serde, others.slice(from, from + AT_ONCE)));
  const written = await Promise.all(writing);
  return written.includes(undefined) ? undefined : filled(copy, written.flat() as readonly JsonValue[]);
}

/** @returns `undefined` when the serialiser cannot write the values as they are. */
async function writtenOf(serde: SerializerProtocol, values: readonly unknown[]): Promise<readonly JsonValue[] | undefined> {
  const [, bytes] = await serde.dumpsTyped(values);
  const json = parseJson(DECODER.decode(bytes));
  return Array.isArray(json) ? json : undefined;
}

/** Stands in a copy for a value that only the serialiser can write. */
class Other {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

type Copy = null | string | number | boolean | Other | readonly Copy[] | { readonly [key: string]: Copy };

class Copying {
  readonly others: unknown[] = [];
  isComplete = true;

  copyOf(value: unknown, depth: number): Copy {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) ? value : this.#other(value);
      case "undefined":
        return this.#other(value);
      case "object":
        break;
      default:
        this.isComplete = false;
        return null;
    }
    if (value === null) return null;
    if (depth > DEEPEST) this.isComplete = false;
    if (!this.isComplete) return null;
    if (!isPlain(value)) return this.#other(value);
    return Array.isArray(value) ? this.#listOf(value, depth + 1) : this.#objectOf(value as Readonly<Record<string, unknown>>, depth + 1);
  }

  #listOf(list: readonly unknown[], depth: number): Copy {
    const copy: Copy[] = [];
    // By index, because a list may have holes.
    for (let index = 0; index < list.length; index++) copy.push(this.copyOf(list[index], depth));
    return copy;
  }

  /** Copies with assignments: engines take several times as long for `Object.fromEntries`. */
  #objectOf(object: Readonly<Record<string, unknown>>, depth: number): Copy {
    const copy: Record<string, Copy> = {};
    for (const key of Object.keys(object)) {
      const value = this.copyOf(object[key], depth);
      if (key !== "__proto__") copy[key] = value;
      else Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
    }
    return copy;
  }

  #other(value: unknown): Other {
    return new Other(this.others.push(value) - 1);
  }
}

/** True for lists and objects without a class, which JSON writes by their members, and the serialiser too. */
function isPlain(value: object): boolean {
  if ("toJSON" in value || "lg_name" in value) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of another realm have another `Object.prototype`.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function filled(copy: Copy, others: readonly JsonValue[]): JsonValue {
  if (typeof copy !== "object" || copy === null) return copy;
  if (copy instanceof Other) return others[copy.index] as JsonValue;
  if (Array.isArray(copy)) return (copy as readonly Copy[]).map((item) => filled(item, others));
  return Object.fromEntries(Object.entries(copy).map(([key, member]) => [key, filled(member, others)]));
}
