import { isRequestId, type RequestId } from "./json-rpc.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Longest token that is kept. Longer ones are neither the key `id` nor a valid id. */
const MAX_TOKEN_BYTES = 1024;

/**
 * Finds the top-level `id` in the bytes of a message that is too long or too broken to parse.
 *
 * Accepts the message in any number of pieces and keeps at most one short token, so that a message of any size can be answered by id
 * without holding it in memory.
 */
export class MessageIdScanner {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** Raw bytes of the key or value being read at depth 1; undefined once it cannot be the id. */
  #token: number[] | undefined = [];
  #key: unknown;
  #id: RequestId | undefined;

  /** The id found so far. As in `JSON.parse`, the last one wins. */
  get id(): RequestId | undefined {
    return this.#id;
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (this.#isInString) {
        at = this.#readString(bytes, at);
      } else {
        this.#readStructure(byte);
      }
    }
  }

  /** Reads on inside a string; returns the last position consumed. */
  #readString(bytes: Uint8Array, start: number): number {
    for (let at = start; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (this.#token !== undefined) {
        this.#keep(byte);
      }
      if (this.#isEscaped) {
        this.#isEscaped = false;
      } else if (byte === BACKSLASH) {
        this.#isEscaped = true;
      } else if (byte === QUOTE) {
        this.#isInString = false;
        return at;
      }
    }
    return bytes.length;
  }

  #readStructure(byte: number): void {
    switch (byte) {
      case QUOTE:
        this.#isInString = true;
        this.#keep(byte);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        this.#depth += 1;
        // The outermost brace starts the first key; a nested one means that this value is not the id.
        this.#token = this.#depth === 1 ? [] : undefined;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (this.#depth === 1) {
          this.#endMember();
        }
        this.#depth -= 1;
        break;
      case COMMA:
        if (this.#depth === 1) {
          this.#endMember();
        }
        break;
      case COLON:
        if (this.#depth === 1) {
          this.#key = this.#takeToken();
        }
        break;
      default:
        this.#keep(byte);
    }
  }

  #keep(byte: number): void {
    if (this.#token === undefined || this.#depth !== 1) {
      return;
    }
    if (this.#token.length < MAX_TOKEN_BYTES) {
      this.#token.push(byte);
    } else {
      this.#token = undefined;
    }
  }

  #endMember(): void {
    const value = this.#takeToken();
    if (this.#key === "id") {
      this.#id = isRequestId(value) ? value : undefined;
    }
    this.#key = undefined;
  }

  #takeToken(): unknown {
    const token = this.#token;
    this.#token = [];
    if (token === undefined) {
      return undefined;
    }
    try {
      return JSON.parse(Buffer.from(token).toString("utf8")) as unknown;
    } catch {
      // Broken messages are expected here: a broken token is just not the id.
      return undefined;
    }
  }
}

/** Returns the top-level `id` of a complete message that could not be parsed. */
export function findMessageId(bytes: Uint8Array): RequestId | undefined {
  const scanner = new MessageIdScanner();
  scanner.write(bytes);
  return scanner.id;
}
