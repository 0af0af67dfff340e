import { sameJson } from "../delta/same-json.ts";
import { type Context, isJsonObject, type JsonValue } from "../model/context.ts";
import { copyOf } from "./check-json.ts";
import { encodeUtf8, isSameBytes, SHORT_TEXT } from "./utf8.ts";
import { canonicalJson } from "./write-json.ts";

/** JSON of a context as UTF-8, exact and canonical. Later changes of the context have no effect on it. */
export interface JsonBytes {
  readonly exact: Uint8Array;
  /** Joins the bytes on demand. */
  readonly canonical: () => Uint8Array;
}

/** Longest context to keep, in characters. */
const LONGEST = 1024 * 1024;
/** Most characters of all kept contexts. Each takes about four bytes of memory. */
const MOST = 4 * 1024 * 1024;
/** Objects nested deeper, and larger ones, are written in one go. */
const LEVELS = 4;
const MOST_MEMBERS = 1_000;
/** Approximate bytes of a run of array items. */
const RUN_BYTES = 4 * 1024;

/**
 * Keeps the JSON of each session's last context in parts. Most of an agent's state stays from one save to the next: to compare it with
 * the last one and join the parts that stayed takes a fraction of the time of writing it again.
 */
export class RecentJson {
  readonly #contexts = new Map<string, { readonly part: Part; readonly characters: number }>();
  #characters = 0;

  /**
   * Writes a context that passed `checkJson`.
   *
   * @param session key of contexts that resemble each other.
   * @param characters lower bound of the length of its JSON.
   * @returns `undefined` for a context that is too short or too long to gain by this.
   */
  write(session: string, context: Context, characters: number): JsonBytes | undefined {
    const last = this.#contexts.get(session)?.part;
    this.#forget(session);
    if (characters <= SHORT_TEXT || characters > LONGEST) return undefined;
    const part = partOf(context, last, LEVELS);
    this.#contexts.set(session, { part, characters });
    this.#characters += characters;
    for (const oldest of this.#contexts.keys()) {
      if (this.#characters <= MOST) break;
      this.#forget(oldest);
    }
    return { exact: joined(part, "exact"), canonical: () => joined(part, "canonical") };
  }

  #forget(session: string): void {
    this.#characters -= this.#contexts.get(session)?.characters ?? 0;
    this.#contexts.delete(session);
  }
}

type Form = "exact" | "canonical";

/** Part of a context that never changes. */
interface Part {
  /** Bytes of its JSON, the same number in both forms. */
  readonly length: number;
  /** Writes its JSON into `bytes`, and returns the offset after it. */
  into(bytes: Uint8Array, offset: number, form: Form): number;
}

function joined(part: Part, form: Form): Uint8Array {
  const bytes = new Uint8Array(part.length);
  part.into(bytes, 0, form);
  return bytes;
}

/** Returns parts of `before` where the value is the same. */
function partOf(value: JsonValue, before: Part | undefined, levels: number): Part {
  if (levels === 0 || typeof value !== "object" || value === null) return leafOf(value, before);
  if (!isJsonObject(value)) return new ArrayPart([...runsOf(value, before instanceof ArrayPart ? before.runs : [])]);
  const entries = Object.entries(value);
  if (entries.length > MOST_MEMBERS) return leafOf(value, before);
  const known = before instanceof ObjectPart ? before.members : undefined;
  return new ObjectPart(
    entries.map(([key, member]) => {
      const last = known?.get(key);
      const part = partOf(member, last?.part, levels - 1);
      return part === last?.part ? last : { key, name: last?.name ?? encodeUtf8(`${JSON.stringify(key)}:`), part };
    }),
  );
}

function leafOf(value: JsonValue, before: Part | undefined): Leaf {
  return before instanceof Leaf && sameJson(value, before.value) ? before : new Leaf(value);
}

/** Value that is written in one go. */
class Leaf implements Part {
  readonly value: JsonValue;
  readonly exact: Uint8Array;
  #canonical: Uint8Array | undefined;

  constructor(value: JsonValue) {
    this.exact = encodeUtf8(JSON.stringify(value));
    this.value = copyOf(value);
  }

  get length(): number {
    return this.exact.length;
  }

  get canonical(): Uint8Array {
    if (this.#canonical === undefined) {
      const canonical = typeof this.value === "object" ? encodeUtf8(canonicalJson(this.value)) : this.exact;
      this.#canonical = isSameBytes(canonical, this.exact) ? this.exact : canonical;
    }
    return this.#canonical;
  }

  into(bytes: Uint8Array, offset: number, form: Form): number {
    bytes.set(this[form], offset);
    return offset + this.length;
  }
}

const COMMA = 0x2c;
const [BRACKET, END_BRACKET] = [0x5b, 0x5d];
const [BRACE, END_BRACE] = [0x7b, 0x7d];

interface Member {
  readonly key: string;
  /** JSON of the key, with a colon. */
  readonly name: Uint8Array;
  readonly part: Part;
}

class ObjectPart implements Part {
  readonly members: ReadonlyMap<string, Member>;
  readonly length: number;

  constructor(members: readonly Member[]) {
    this.members = new Map(members.map((member) => [member.key, member]));
    this.length = members.reduce((sum, { name, part }) => sum + name.length + part.length, betweenAndAround(members.length));
  }

  into(bytes: Uint8Array, offset: number, form: Form): number {
    const members = [...this.members.values()];
    // By UTF-16 code units.
    if (form === "canonical") members.sort((one, other) => (one.key < other.key ? -1 : 1));
    let at = offset;
    bytes[at++] = BRACE;
    for (const [index, { name, part }] of members.entries()) {
      if (index > 0) bytes[at++] = COMMA;
      bytes.set(name, at);
      at = part.into(bytes, at + name.length, form);
    }
    bytes[at++] = END_BRACE;
    return at;
  }
}

class ArrayPart implements Part {
  /** Arrays of consecutive items. */
  readonly runs: readonly Leaf[];
  readonly length: number;

  constructor(runs: readonly Leaf[]) {
    this.runs = runs;
    this.length = runs.reduce((sum, run) => sum + run.length - BRACKETS, betweenAndAround(runs.length));
  }

  into(bytes: Uint8Array, offset: number, form: Form): number {
    let at = offset;
    bytes[at++] = BRACKET;
    for (const [index, run] of this.runs.entries()) {
      if (index > 0) bytes[at++] = COMMA;
      bytes.set(run[form].subarray(1, -1), at);
      at += run.length - BRACKETS;
    }
    bytes[at++] = END_BRACKET;
    return at;
  }
}

const BRACKETS = 2;

/** Commas between parts, and brackets around them. */
function betweenAndAround(parts: number): number {
  return Math.max(0, parts - 1) + BRACKETS;
}

/** A changed run keeps its number of items, so that the runs after it are found again. */
function* runsOf(items: readonly JsonValue[], before: readonly Leaf[]): Generator<Leaf> {
  let count = 1;
  for (let from = 0, index = 0; from < items.length; index++) {
    const known = before[index];
    // The last run takes more items until it is long enough.
    const isKept = known !== undefined && (index < before.length - 1 || known.length > RUN_BYTES / 2);
    if (known !== undefined) count = isKept ? itemsIn(known) : itemsLike(known);
    const run = leafOf(items.slice(from, from + count), known);
    yield run;
    from += count;
    count = itemsLike(run);
  }
}

function itemsIn(run: Leaf): number {
  return (run.value as readonly JsonValue[]).length;
}

/** Returns how many items of the same size make a run. */
function itemsLike(run: Leaf): number {
  return Math.max(1, Math.floor((itemsIn(run) * RUN_BYTES) / run.length));
}
