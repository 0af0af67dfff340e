import { BACKSLASH, BRACE, BRACKET, COLON, COMMA, END_BRACE, END_BRACKET, QUOTE } from "../json/parse-json.ts";
import type { FindSecrets } from "../ports/secret-scanner.ts";
import { redact } from "./redact.ts";

/** Place of an offset in a JSON text. */
export interface JsonPlace {
  /** Keys and indexes that lead there. */
  readonly path: readonly (string | number)[];
  /** Inside the last key of the path, inside a string value, or inside a number or literal. */
  readonly within: "key" | "text" | "literal";
}

/** Open object with its current key, or open list with its current index. */
interface Level {
  readonly isList: boolean;
  at: string | number;
}

/** Finds the places of offsets in a JSON text that comes in parts, in one pass. */
export class JsonPlaces {
  readonly #levels: Level[] = [];
  #passed = 0;
  #isInText = false;
  #isEscaped = false;
  /** True when the current or next string is a key. */
  #isKey = false;
  #key = "";

  /**
   * Reads the next part.
   *
   * @param offsets offsets inside this part, ascending, counted from the beginning of the whole text.
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

  /** Reads to the end of the string, or of the part. */
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

const LONGEST_KEY = 40;
const LONGEST_PATH = 120;

/**
 * Formats a path for people, such as `context["servers"][2]["url"]`. Secrets in keys are replaced by placeholders.
 *
 * @param root beginning of the path; without it the first key is written as a name.
 */
export function writtenPath({ path, within }: JsonPlace, find: FindSecrets, root?: string): string {
  const parents = within === "key" ? path.slice(0, -1) : path;
  const [first = "", ...rest] = root === undefined ? parents : [root, ...parents];
  const written = String(first) + [...rest.map((key) => segment(key, find)), ...(within === "key" ? ["[a key]"] : [])].join("");
  return written.length <= LONGEST_PATH ? written : `${written.slice(0, LONGEST_PATH).toWellFormed()}...`;
}

function segment(key: string | number, find: FindSecrets): string {
  if (typeof key === "number") return `[${key}]`;
  // Redacts before shortening: half of a secret would not be recognised.
  const shown = redact(key, find).text;
  return `[${JSON.stringify(shown.length <= LONGEST_KEY ? shown : `${shown.slice(0, LONGEST_KEY).toWellFormed()}...`)}]`;
}
