import { isUtf8 } from "node:buffer";
import { parseJson } from "@workrail/core";
import { readMessage, RPC_ERROR, type ReadResult } from "./json-rpc.ts";
import { findMessageId } from "./message-id-scanner.ts";
import { noteRounded } from "./rounded-integers.ts";

/** Levels of nesting that the parser may see: far more than a context may have, so that a deep one gets a clear refusal. */
const MOST_LEVELS = 20_000;
/** Smaller messages are parsed in a moment, however deep they are. */
const SCANNED_BYTES = 64 * 1024;

/** Parses the bytes of one message: returns a message to deliver, or the reason for rejecting it. */
export function parseMessage(bytes: Buffer): ReadResult {
  // Decoding would replace broken bytes by U+FFFD and store text that was never sent.
  if (!isUtf8(bytes)) return unparsable(bytes, "The message is not valid UTF-8.");
  if (bytes.length > SCANNED_BYTES && isDeeper(bytes, MOST_LEVELS)) {
    return unparsable(bytes, `The message is nested deeper than ${MOST_LEVELS.toLocaleString("en")} levels.`);
  }
  let text: string;
  let value: unknown;
  try {
    text = bytes.toString("utf8");
    value = parseJson(text);
  } catch (error) {
    const position = /at position \d+/u.exec(String(error))?.[0];
    const where = position === undefined ? "" : ` (${position})`;
    return unparsable(bytes, `The message is not valid JSON${where}. Send one whole message at a time.`);
  }
  const read = readMessage(value);
  if (read.kind === "message") noteRounded(read.message, text);
  return read;
}

/** Tells whether JSON nests deeper than a number of levels. A megabyte of opening brackets would keep the parser busy for a second. */
function isDeeper(bytes: Buffer, levels: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isInString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > levels) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return false;
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

function unparsable(bytes: Buffer, message: string): ReadResult {
  const id = findMessageId(bytes);
  return { kind: "rejected", rejection: { id, code: RPC_ERROR.parse, message, isAnswerable: true } };
}
