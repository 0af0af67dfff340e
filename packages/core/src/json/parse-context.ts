import type { JsonValue } from "../model/context.ts";
import { decodeUtf8 } from "../platform.ts";
import { inTurns } from "../turns.ts";
import { parseBytes } from "./parse-bytes.ts";
import { parseJson } from "./parse-json.ts";
import { LARGE_BYTES } from "./text-parts.ts";

/** Parses the UTF-8 of a context's JSON. A large one is parsed in turns and never held as a single text. */
export async function parseContext(bytes: Uint8Array): Promise<JsonValue> {
  return bytes.length > LARGE_BYTES ? inTurns(parseBytes(bytes)) : parseJson(decodeUtf8(bytes));
}
