import { QUOTE, COMMA, COLON, BRACKET, BACKSLASH, END_BRACKET, BRACE, END_BRACE } from "../json/signs.ts";

/** Where an offset lies in a JSON text. */
export interface JsonPlace {
  /** The keys and indices that lead there. */
  readonly path: readonly (string | number)[];
  /** Within the key that the path ends with, within a text that is a value, or within a number or a word. */
  readonly within: "key" | "text" | "literal";
}

/** An object, and the key that it is at; or a list, and the index. */
interface Level {
  readonly isList: boolean;
  at: string | number;
}

/** Goes once through a JSON text that comes in parts, and says of offsets where they lie. */
export class JsonPlaces {
  readonly #levels: Level[] = [];
  #passed = 0;
  #isInText = false;
  #isEscaped = false;
  /** A key is what is read, or what comes next. */
  #isKey = false;
  #key = "";

  /**
   * Takes the next part.
   *
   * @param offsets those within it, counted from the beginning of the whole text, in their order.
   */
  next(part: string, offsets: readonly number[]): JsonPlace[] {
    let at = 0;
    const places = offsets.map((offset) => {
      this.#read(part, at, (at = offset - this.#passed));
      return this.#place();
    });
    this.#read(part, at, part.length);
    this.#passed += part.length;
    return places;
  }

  #place(): JsonPlace {
    const within = this.#isInText ? (this.#isKey ? "key" : "text") : "literal";
    return { path: this.#levels.map(({ at }) => at), within };
  }

  #read(part: string, from: number, to: number): void {
    for (let at = from; at < to;) {
      if (this.#isInText) at = this.#readText(part, at, to);
      else this.#readSign(part.charCodeAt(at++));
    }
  }

  /** Up to the end of the text, or as far as it is there. */
  #readText(part: string, from: number, to: number): number {
    let at = from;
    for (; at < to && this.#isInText; at++) {
      const code = part.charCodeAt(at);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === BACKSLASH) this.#isEscaped = true;
      else if (code === QUOTE) this.#isInText = false;
    }
    if (!this.#isKey) return at;
    this.#key += part.slice(from, at);
    const level = this.#levels.at(-1);
    if (!this.#isInText && level !== undefined) level.at = JSON.parse(`"${this.#key}`) as string;
    return at;
  }

  #readSign(code: number): void {
    const level = this.#levels.at(-1);
    if (code === QUOTE) {
      this.#isInText = true;
      this.#key = "";
    } else if (code === BRACE || code === BRACKET) {
      this.#levels.push({ isList: code === BRACKET, at: code === BRACKET ? 0 : "" });
      this.#isKey = code === BRACE;
    } else if (code === END_BRACE || code === END_BRACKET) {
      this.#levels.pop();
      this.#isKey = false;
    } else if (code === COLON) this.#isKey = false;
    else if (code === COMMA && level !== undefined) {
      if (level.isList) level.at = Number(level.at) + 1;
      else this.#isKey = true;
    }
  }
}
