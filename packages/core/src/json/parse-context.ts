import type { JsonValue } from "../model/context.ts";
import { decodeUtf8 } from "../platform.ts";
import { inTurns } from "../turns.ts";
import { parseBytes } from "./parse-bytes.ts";
import { parseJson } from "./parse-json.ts";
import { LARGE_BYTES } from "./text-parts.ts";

/** Reads the UTF-8 of a context's JSON; a large one by turns, and never in memory as one text. */
export async function parseContext(bytes: Uint8Array): Promise<JsonValue> {
  return bytes.length > LARGE_BYTES ? inTurns(parseBytes(bytes)) : parseJson(decodeUtf8(bytes));
}
