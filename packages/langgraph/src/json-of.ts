import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { type JsonValue, parseJson } from "@workrail/core";

/** Values deeper than this are left to the serialiser, which also handles cycles. */
const DEEPEST = 100;
/** Values serialised at once. Engines write several short texts faster than one long one. */
const AT_ONCE = 16;

const DECODER = new TextDecoder();

/**
 * Returns the JSON value that LangGraph's own serialiser writes for a value. Plain JSON is copied, which takes a fraction of the time of writing
 * and parsing it, and so are messages; only other values go through the serialiser. The value may change after the call.
 *
 * @param serde LangGraph's own.
 * @returns `undefined`, at once if possible, when the serialiser has to write the whole: for values that JSON omits, and for cycles.
 */
export function jsonOf(serde: SerializerProtocol, value: unknown): Promise<JsonValue | undefined> | undefined {
  const copying = new Copying();
  const copy = copying.copyOf(value, 0);
  return copying.isComplete ? withOthers(serde, copy, copying) : undefined;
}

/** Puts what the serialiser writes in place of the others. */
async function withOthers(serde: SerializerProtocol, copy: Copy, { others, places }: Copying): Promise<JsonValue | undefined> {
  if (others.length === 0) return copy as JsonValue;
  const writing: Promise<readonly JsonValue[] | undefined>[] = [];
  for (let from = 0; from < others.length; from += AT_ONCE) writing.push(writtenOf(serde, others.slice(from, from + AT_ONCE)));
  const written = await Promise.all(writing);
  if (written.includes(undefined)) return undefined;
  const values = written.flat() as readonly JsonValue[];
  for (const { holder, key, other } of places) assign(holder, key, values[other.index] as JsonValue);
  return copy instanceof Other ? values[copy.index] : (copy as JsonValue);
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
type Holder = Record<string, Copy> | Copy[];

interface Place {
  readonly holder: Holder;
  readonly key: string | number;
  readonly other: Other;
}

class Copying {
  readonly others: unknown[] = [];
  readonly places: Place[] = [];
  #undefined: Other | undefined;
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
    if (isSerializable(value)) return this.copyOf(value.toJSON(), depth + 1);
    if (!isPlain(value)) return this.#other(value);
    return Array.isArray(value) ? this.#listOf(value, depth + 1) : this.#objectOf(value as Readonly<Record<string, unknown>>, depth + 1);
  }

  #listOf(list: readonly unknown[], depth: number): Copy {
    const copy: Copy[] = [];
    // By index, because a list may have holes.
    for (let index = 0; index < list.length; index++) this.#put(copy, index, this.copyOf(list[index], depth));
    return copy;
  }

  #objectOf(object: Readonly<Record<string, unknown>>, depth: number): Copy {
    const copy: Record<string, Copy> = {};
    for (const key of Object.keys(object)) this.#put(copy, key, this.copyOf(object[key], depth));
    return copy;
  }

  #put(holder: Holder, key: string | number, value: Copy): void {
    if (value instanceof Other) this.places.push({ holder, key, other: value });
    assign(holder, key, value);
  }

  #other(value: unknown): Other {
    if (value !== undefined) return new Other(this.others.push(value) - 1);
    // Messages have many members that are undefined.
    return (this.#undefined ??= new Other(this.others.push(undefined) - 1));
  }
}

const PROTOTYPE: object = Object.prototype;

/** Assigns a member, as an own property also where the prototype has one of that name, such as `__proto__`. Engines take several times as long for `Object.fromEntries`. */
function assign(holder: Holder, key: string | number, value: Copy): void {
  if (key in PROTOTYPE) Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
  else (holder as Record<string | number, Copy>)[key] = value;
}

/** True for messages and other classes of LangChain, of which JSON, and so the serialiser, writes what `toJSON` returns. */
function isSerializable(value: object): value is { toJSON(): unknown } {
  return "lc_serializable" in value && "toJSON" in value && typeof value.toJSON === "function";
}

/** True for lists and objects without a class, which JSON writes by their members, and the serialiser too. */
function isPlain(value: object): boolean {
  if ("toJSON" in value || "lg_name" in value) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of another realm have another `Object.prototype`.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
