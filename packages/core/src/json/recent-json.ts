import { sameJson } from "../delta/same-json.ts";
import { isJsonObject, type JsonValue } from "../model/context.ts";
import { copyOf } from "./check-json.ts";
import { BRACE, BRACKET, COMMA, END_BRACE, END_BRACKET } from "./parse-json.ts";
import { encodeUtf8, isSameBytes, SHORT_TEXT } from "./utf8.ts";
import { canonicalJson } from "./write-json.ts";

/** JSON of a context as UTF-8, exact and canonical. Later changes of the context have no effect on it. */
export interface JsonBytes {
  readonly exact: Uint8Array;
  /** The exact JSON in parts. A long part that did not change since the last context is the same object as then. */
  readonly parts: readonly Uint8Array[];
  /** Joins the bytes on demand. */
  readonly canonical: () => Uint8Array;
}

/** Longest context to keep, in characters. */
const LONGEST = 1024 * 1024;
/** Most bytes of JSON of all kept contexts. Each takes four to ten bytes of memory. */
const MOST = 4 * 1024 * 1024;
/** Objects nested deeper, and larger ones, are written in one go. */
const LEVELS = 4;
const MOST_MEMBERS = 1_000;
/** Approximate bytes of a run of array items. */
const RUN_BYTES = 16 * 1024;
/** Shortest part that is worth keeping apart, in bytes. */
const LONG = 4 * 1024;

/**
 * Keeps the JSON of each session's last context in parts. Most of an agent's state stays from one save to the next: to compare it with
 * the last one and join the parts that stayed takes a fraction of the time of writing it again.
 */
export class RecentJson {
  readonly #contexts = new Map<string, Part>();
  #bytes = 0;

  /**
   * Writes a context that passed `checkJson`.
   *
   * @param session key of contexts that resemble each other.
   * @param characters lower bound of the length of its JSON.
   * @returns `undefined` for a context that is too short or too long to gain by this.
   */
  write(session: string, context: JsonValue, characters: number): JsonBytes | undefined {
    const last = this.#contexts.get(session);
    this.forget(session);
    if (characters <= SHORT_TEXT || characters > LONGEST) return undefined;
    const part = partOf(context, last, LEVELS);
    this.#contexts.set(session, part);
    this.#bytes += part.length;
    for (const oldest of this.#contexts.keys()) {
      if (this.#bytes <= MOST) break;
      this.forget(oldest);
    }
    const exact = written(part, "exact");
    return { exact: exact.bytes, parts: exact.parts(), canonical: () => written(part, "canonical").bytes };
  }

  /** Frees what is kept of a session, such as an erased one. */
  forget(session: string): void {
    this.#bytes -= this.#contexts.get(session)?.length ?? 0;
    this.#contexts.delete(session);
  }
}

type Form = "exact" | "canonical";

/** Part of a context that never changes. */
interface Part {
  /** Bytes of its JSON, the same number in both forms. */
  readonly length: number;
  into(writer: Writer, form: Form): void;
}

class Writer {
  readonly bytes: Uint8Array;
  readonly #long: { readonly from: number; readonly bytes: Uint8Array }[] = [];
  #at = 0;

  constructor(length: number) {
    this.bytes = new Uint8Array(length);
  }

  byte(byte: number): void {
    this.bytes[this.#at++] = byte;
  }

  add(bytes: Uint8Array): void {
    if (bytes.length >= LONG) this.#long.push({ from: this.#at, bytes });
    this.bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  parts(): readonly Uint8Array[] {
    const parts: Uint8Array[] = [];
    let from = 0;
    for (const long of this.#long) {
      parts.push(this.bytes.subarray(from, long.from), long.bytes);
      from = long.from + long.bytes.length;
    }
    return [...parts, this.bytes.subarray(from)];
  }
}

function written(part: Part, form: Form): Writer {
  const writer = new Writer(part.length);
  part.into(writer, form);
  return writer;
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
    this.value = copyOf(value);
    // Written from the copy, because a getter may return another value next time.
    this.exact = this.encoded(JSON.stringify(this.value));
  }

  get length(): number {
    return this.exact.length;
  }

  get canonical(): Uint8Array {
    if (this.#canonical === undefined) {
      const canonical = typeof this.value === "object" ? this.encoded(canonicalJson(this.value)) : this.exact;
      this.#canonical = isSameBytes(canonical, this.exact) ? this.exact : canonical;
    }
    return this.#canonical;
  }

  into(writer: Writer, form: Form): void {
    writer.add(this[form]);
  }

  protected encoded(json: string): Uint8Array {
    return encodeUtf8(json);
  }
}

/** Consecutive items of an array, without its brackets. */
class Run extends Leaf {
  declare readonly value: readonly JsonValue[];

  protected override encoded(json: string): Uint8Array {
    return encodeUtf8(json.slice(1, -1));
  }
}

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

  into(writer: Writer, form: Form): void {
    const members = [...this.members.values()];
    // By UTF-16 code units.
    if (form === "canonical") members.sort((one, other) => (one.key < other.key ? -1 : 1));
    writer.byte(BRACE);
    for (const [index, { name, part }] of members.entries()) {
      if (index > 0) writer.byte(COMMA);
      writer.add(name);
      part.into(writer, form);
    }
    writer.byte(END_BRACE);
  }
}

class ArrayPart implements Part {
  readonly runs: readonly Run[];
  readonly length: number;

  constructor(runs: readonly Run[]) {
    this.runs = runs;
    this.length = runs.reduce((sum, run) => sum + run.length, betweenAndAround(runs.length));
  }

  into(writer: Writer, form: Form): void {
    writer.byte(BRACKET);
    for (const [index, run] of this.runs.entries()) {
      if (index > 0) writer.byte(COMMA);
      run.into(writer, form);
    }
    writer.byte(END_BRACKET);
  }
}

/** Commas between parts, and brackets around them. */
function betweenAndAround(parts: number): number {
  return Math.max(0, parts - 1) + 2;
}

/** A changed run keeps its number of items, so that the runs after it are found again. */
function* runsOf(items: readonly JsonValue[], before: readonly Run[]): Generator<Run> {
  let count = 1;
  for (let from = 0, index = 0; from < items.length; index++) {
    const known = before[index];
    // The last run takes more items until it is long enough.
    const isKept = known !== undefined && (index < before.length - 1 || known.length > RUN_BYTES / 2);
    if (known !== undefined) count = isKept ? known.value.length : itemsLike(known);
    const some = items.slice(from, from + count);
    const run = known !== undefined && sameJson(some, known.value) ? known : new Run(some);
    yield run;
    from += count;
    count = itemsLike(run);
  }
}

/** Returns how many items of the same size make a run. */
function itemsLike({ value, length }: Run): number {
  return Math.max(1, Math.floor((value.length * RUN_BYTES) / length));
}
