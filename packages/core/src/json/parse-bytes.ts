import type { JsonObject, JsonValue } from "../model/context.ts";
import { inTurns, type Steps } from "../turns.ts";
import { setMember } from "./check-json.ts";
import { decodeUtf8 } from "./utf8.ts";
import { BACKSLASH, BRACE, BRACKET, COLON, COMMA, END_BRACE, END_BRACKET, parseJson, QUOTE } from "./parse-json.ts";

/** Parses the UTF-8 of a context's JSON, a large one in turns. It is never held as a single long text. */
export async function parseContext(bytes: Uint8Array): Promise<JsonValue> {
  return inTurns(parseBytes(bytes));
}

/** Largest number of bytes that are decoded and parsed in one go. Longer texts take longer to make: see `SHORT_TEXT`. */
const AT_ONCE = 48 * 1024;
/** Number of quotes and brackets to pass between two yields. */
const STRETCH = 20_000;

/** Container under construction, because it is too large to be parsed in one go. */
type Opened =
  | { readonly kind: "object"; readonly value: Record<string, JsonValue> }
  | { readonly kind: "array"; readonly value: JsonValue[] };

/**
 * Parses UTF-8 that `JSON.stringify` made, without white space, like `JSON.parse`. One pass: parses as many whole members at a
 * time as fit into `atOnce`. Opens only containers that are larger, and reads larger texts in parts.
 *
 * @param atOnce largest number of bytes to parse in one go.
 * @throws SyntaxError
 */
export function* parseBytes(bytes: Uint8Array, atOnce: number = AT_ONCE): Steps<JsonValue> {
  if (bytes.length <= atOnce) return parseJson(decodeUtf8(bytes));
  return yield* new BytesParser(bytes, atOnce).parse();
}

class BytesParser {
  readonly #bytes: Uint8Array;
  readonly #atOnce: number;
  /** Start of each unfinished container, and its latest comma (or its start when it has none). */
  readonly #starts: number[] = [];
  readonly #commas: number[] = [];
  /** The outermost unfinished containers: those under construction. */
  readonly #opened: Opened[] = [];
  /** Position in the innermost opened container: after its bracket, or after its last parsed member. */
  #from = 0;

  constructor(bytes: Uint8Array, atOnce: number) {
    this.#bytes = bytes;
    this.#atOnce = atOnce;
  }

  *parse(): Steps<JsonValue> {
    const bytes = this.#bytes;
    let passed = 0;
    for (let at = 0; at < bytes.length;) {
      const byte = bytes[at];
      if (byte === QUOTE) at = yield* this.#text(at);
      else at += 1;
      if (byte === BRACE || byte === BRACKET) {
        this.#starts.push(at - 1);
        this.#commas.push(at - 1);
      } else if (byte === COMMA) {
        this.#commas[this.#commas.length - 1] = at - 1;
      } else if (byte === END_BRACE || byte === END_BRACKET) {
        const made = this.#end(at - 1);
        if (made !== undefined) return made;
      } else if (byte !== QUOTE) continue;
      passed += 1;
      if (at - this.#from > this.#atOnce) this.#parseAhead();
      else if (passed % STRETCH !== 0) continue;
      yield;
    }
    // Reached for a single text, or invalid JSON.
    return parseJson(decodeUtf8(bytes));
  }

  /** Passes a string and returns the index after it. Parses it right away when it is a value larger than `atOnce`. */
  *#text(start: number): Steps<number> {
    const end = yield* this.#endOfText(start);
    if (end - start <= this.#atOnce || this.#bytes[end] === COLON || this.#starts.length === 0) return end;
    while (this.#opened.length < this.#starts.length) this.#open();
    this.#parseUpTo(this.#commas.at(-1) as number);
    const key = this.#keyBefore(start);
    let text = "";
    for (let from = start + 1; from < end - 1;) {
      const to = endOfPart(this.#bytes, from + Math.max(this.#atOnce, LONGEST_ESCAPE), end - 1);
      text += JSON.parse(`"${decodeUtf8(this.#bytes.subarray(from, to))}"`) as string;
      from = to;
      yield;
    }
    this.#add(key, text);
    this.#from = end;
    return end;
  }

  /** Returns the index after the closing quote of the string that starts here. */
  *#endOfText(start: number): Steps<number> {
    for (let passed = 1; ; passed++) {
      const quote = this.#bytes.indexOf(QUOTE, start + 1);
      if (quote < 0) return this.#bytes.length;
      if (backslashesBefore(this.#bytes, quote) % 2 === 0) return quote + 1;
      start = quote;
      if (passed % STRETCH === 0) yield;
    }
  }

  /** Parses the complete members. When there is none, opens containers until there are some. */
  #parseAhead(): void {
    for (;;) {
      const level = this.#opened.length;
      const comma = level === 0 ? 0 : (this.#commas[level - 1] as number);
      if (comma > this.#from) return this.#parseUpTo(comma);
      // Only a single member is left, and its end is near.
      if (level === this.#starts.length) return;
      this.#open();
    }
  }

  /** Opens the next unfinished container inside the innermost opened one. */
  #open(): void {
    const start = this.#starts[this.#opened.length] as number;
    const made: Opened = this.#bytes[start] === BRACE ? { kind: "object", value: {} } : { kind: "array", value: [] };
    if (this.#opened.length > 0) {
      this.#parseUpTo(this.#commas[this.#opened.length - 1] as number);
      this.#add(this.#keyBefore(start), made.value);
    }
    this.#opened.push(made);
    this.#from = start + 1;
  }

  /** Handles the end of a container. Returns the value when it is the outermost one. */
  #end(at: number): JsonValue | undefined {
    const isOpened = this.#opened.length === this.#starts.length;
    this.#starts.pop();
    this.#commas.pop();
    if (!isOpened) return undefined;
    this.#parseUpTo(at);
    this.#from = at + 1;
    const made = this.#opened.pop();
    return this.#opened.length === 0 ? made?.value : undefined;
  }

  /** Parses the members before the comma or bracket at `end`, in the innermost opened container. */
  #parseUpTo(end: number): void {
    const text = this.#textTo(end);
    if (text === "") return;
    this.#from = end;
    const { kind, value } = this.#opened.at(-1) as Opened;
    if (kind === "array") {
      for (const item of parseJson(`[${text}]`) as JsonValue[]) value.push(item);
    } else {
      for (const [key, member] of Object.entries(parseJson(`{${text}}`) as JsonObject)) setMember(value, key, member);
    }
  }

  /** Returns the key of the value that starts here, the only member not yet parsed; `undefined` in an array. */
  #keyBefore(start: number): string | undefined {
    if (this.#opened.at(-1)?.kind !== "object") return undefined;
    return Object.keys(parseJson(`{${this.#textTo(start)}0}`) as JsonObject)[0];
  }

  /** Returns the text not yet parsed, without a leading comma. */
  #textTo(end: number): string {
    const from = this.#bytes[this.#from] === COMMA ? this.#from + 1 : this.#from;
    return decodeUtf8(this.#bytes.subarray(from, Math.max(from, end)));
  }

  #add(key: string | undefined, member: JsonValue): void {
    const { kind, value } = this.#opened.at(-1) as Opened;
    if (kind === "array") value.push(member);
    else setMember(value, key as string, member);
  }
}

/** Returns the last place up to `most` where a part may end: it splits neither a character nor an escape. */
function endOfPart(bytes: Uint8Array, most: number, end: number): number {
  if (most >= end) return end;
  let to = most;
  while (((bytes[to] as number) & 0xc0) === 0x80) to -= 1;
  for (let back = 1; back < LONGEST_ESCAPE; back++) {
    const isEscape = bytes[to - back] === BACKSLASH && backslashesBefore(bytes, to - back) % 2 === 0;
    const length = bytes[to - back + 1] === SMALL_U ? LONGEST_ESCAPE : 2;
    if (isEscape && back < length) return to - back;
  }
  return to;
}

function backslashesBefore(bytes: Uint8Array, index: number): number {
  let first = index;
  while (bytes[first - 1] === BACKSLASH) first -= 1;
  return index - first;
}

/** Length of `\u00e9`. */
const LONGEST_ESCAPE = 6;

const SMALL_U = 0x75;
