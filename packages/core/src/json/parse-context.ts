import type { JsonValue } from "../model/context.ts";
import { inTurns } from "../turns.ts";
import { parseBytes } from "./parse-bytes.ts";

/** Parses the UTF-8 of a context's JSON, a large one in turns. It is never held as a single long text. */
export async function parseContext(bytes: Uint8Array): Promise<JsonValue> {
  return inTurns(parseBytes(bytes));
}
