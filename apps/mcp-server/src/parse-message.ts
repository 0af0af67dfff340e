import { isUtf8 } from "node:buffer";
import { parseJson } from "@workrail/core";
import { readMessage, RPC_ERROR, type ReadResult } from "./json-rpc.ts";
import { findMessageId } from "./message-id-scanner.ts";
import { noteRounded } from "./rounded-integers.ts";

/** Parses the bytes of one message: returns a message to deliver, or the reason for rejecting it. */
export function parseMessage(bytes: Buffer): ReadResult {
  // Decoding would replace broken bytes by U+FFFD and store text that was never sent.
  if (!isUtf8(bytes)) return unparsable(bytes, "The message is not valid UTF-8.");
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

function unparsable(bytes: Buffer, message: string): ReadResult {
  const id = findMessageId(bytes);
  return { kind: "rejected", rejection: { id, code: RPC_ERROR.parse, message, isAnswerable: true } };
}
