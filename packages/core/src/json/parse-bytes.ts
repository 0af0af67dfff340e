import type { JsonObject, JsonValue } from "../model/context.ts";
import { decodeUtf8 } from "../platform.ts";
import type { Steps } from "../turns.ts";
import { parseJson } from "./parse-json.ts";
import { QUOTE, COMMA, COLON, BRACKET, BACKSLASH, END_BRACKET, BRACE, END_BRACE } from "./signs.ts";

/** Up to this many bytes are decoded and parsed in one go. */
const AT_ONCE = 256 * 1024;
/** How many quotes and brackets are passed at a time. */
const STRETCH = 20_000;

/** What is being read piece by piece, because it is too large to be parsed in one go. */
type Opened =
  | { readonly kind: "object"; readonly value: Record<string, JsonValue> }
  | { readonly kind: "array"; readonly value: JsonValue[] };

/**
 * `JSON.parse` of UTF-8 that `JSON.stringify` made, without white space. It is gone through once, and as many whole members
 * are parsed at a time as may be parsed in one go. Only what is larger by itself is opened; texts are then taken in parts.
 *
 * @param atOnce up to so many bytes are parsed in one go.
 * @throws SyntaxError
 */
export function* parseBytes(bytes: Uint8Array, atOnce: number = AT_ONCE): Steps<JsonValue> {
  if (bytes.length <= atOnce) return parseJson(decodeUtf8(bytes));
  return yield* new BytesParser(bytes, atOnce).parse();
}

class BytesParser {
  readonly #bytes: Uint8Array;
  readonly #atOnce: number;
  /** Where each container begins that has not ended, and where its latest comma is, if it has one. */
  readonly #starts: number[] = [];
  readonly #commas: number[] = [];
  /** The outermost of those, which are being made. */
  readonly #opened: Opened[] = [];
  /** In the innermost that is being made: behind its bracket, or behind its last member that was parsed. */
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
    // A text by itself, or no JSON at all.
    return parseJson(decodeUtf8(bytes));
  }

  /** Passes a text; the index behind it. A value that is too large is parsed. */
  *#text(start: number): Steps<number> {
    const end = yield* this.#endOfText(start);
    if (end - start <= this.#atOnce || this.#bytes[end] === COLON || this.#starts.length === 0) return end;
    while (this.#opened.length < this.#starts.length) this.#open();
    this.#parseUpTo(this.#commas.at(-1) as number);
    const key = this.#keyBefore(start);
    let text = "";
    for (let from = start + 1; from < end - 1;) {
      const to = endOfPart(this.#bytes, from, end - 1, this.#atOnce);
      text += JSON.parse(`"${decodeUtf8(this.#bytes.subarray(from, to))}"`) as string;
      from = to;
      yield;
    }
    this.#add(key, text);
    this.#from = end;
    return end;
  }

  /** The index behind the quote that ends the text which begins with the one here. */
  *#endOfText(start: number): Steps<number> {
    for (let passed = 1; ; passed++) {
      const quote = this.#bytes.indexOf(QUOTE, start + 1);
      if (quote < 0) return this.#bytes.length;
      if (backslashesBefore(this.#bytes, quote) % 2 === 0) return quote + 1;
      start = quote;
      if (passed % STRETCH === 0) yield;
    }
  }

  /** Parses the members that are whole, if any; else opens what goes on, until there are some. */
  #parseAhead(): void {
    for (;;) {
      const level = this.#opened.length;
      const comma = level === 0 ? 0 : (this.#commas[level - 1] as number);
      if (comma > this.#from) return this.#parseUpTo(comma);
      // The end of what is left, a single member, is in sight.
      if (level === this.#starts.length) return;
      this.#open();
    }
  }

  /** Opens the outermost container that is not opened, within the innermost one that is. */
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

  /** A container ends here. The outermost is returned. */
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

  /** Parses the members in front of the comma or bracket here, of the innermost container that is opened. */
  #parseUpTo(end: number): void {
    const text = this.#textTo(end);
    if (text === "") return;
    this.#from = end;
    const { kind, value } = this.#opened.at(-1) as Opened;
    if (kind === "array") {
      for (const item of parseJson(`[${text}]`) as JsonValue[]) value.push(item);
    } else {
      for (const [key, member] of Object.entries(parseJson(`{${text}}`) as JsonObject)) define(value, key, member);
    }
  }

  /** The key of the only member that is not parsed yet, whose value begins here; none in an array. */
  #keyBefore(start: number): string | undefined {
    if (this.#opened.at(-1)?.kind !== "object") return undefined;
    return Object.keys(parseJson(`{${this.#textTo(start)}0}`) as JsonObject)[0];
  }

  /** What is not parsed yet, without the comma that it may begin with. */
  #textTo(end: number): string {
    const from = this.#bytes[this.#from] === COMMA ? this.#from + 1 : this.#from;
    return decodeUtf8(this.#bytes.subarray(from, Math.max(from, end)));
  }

  #add(key: string | undefined, member: JsonValue): void {
    const { kind, value } = this.#opened.at(-1) as Opened;
    if (kind === "array") value.push(member);
    else define(value, key as string, member);
  }
}

/** An assignment, unless it would set the prototype. */
function define(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Where a text may be cut, about so many bytes on: neither within a character nor within an escape. */
function endOfPart(bytes: Uint8Array, from: number, end: number, size: number): number {
  let to = Math.min(end, from + Math.max(size, LONGEST_ESCAPE));
  if (to === end) return end;
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

/** `\u00e9` */
const LONGEST_ESCAPE = 6;

const SMALL_U = 0x75;
