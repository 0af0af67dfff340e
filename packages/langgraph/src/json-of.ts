import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { type JsonValue, parseJson, setMember } from "@workrail/core";

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
  for (const { other, put } of places) put(values[other.index] as JsonValue);
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

/** Place of a stand-in. */
interface Place {
  readonly other: Other;
  readonly put: (value: JsonValue) => void;
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
    for (let index = 0; index < list.length; index++) {
      const item = this.copyOf(list[index], depth);
      if (item instanceof Other) this.places.push({ other: item, put: (value) => (copy[index] = value) });
      copy.push(item);
    }
    return copy;
  }

  #objectOf(object: Readonly<Record<string, unknown>>, depth: number): Copy {
    const copy: Record<string, Copy> = {};
    for (const key of Object.keys(object)) {
      const member = this.copyOf(object[key], depth);
      if (member instanceof Other) this.places.push({ other: member, put: (value) => setMember(copy, key, value) });
      setMember(copy, key, member);
    }
    return copy;
  }

  #other(value: unknown): Other {
    if (value !== undefined) return new Other(this.others.push(value) - 1);
    // Messages have many members that are undefined.
    return (this.#undefined ??= new Other(this.others.push(undefined) - 1));
  }
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
