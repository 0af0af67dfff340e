import { invalidInput } from "../errors.ts";
import { parseJson } from "../json/parse-json.ts";
import { tooLarge } from "../json/saved-content.ts";
import type { JsonValue } from "../model/context.ts";
import type { Limits } from "../model/limits.ts";

/** Called with each field whose text was parsed as JSON. */
type ReadText = (field: string) => void;

export interface Reading {
  readonly limits: Limits;
  readonly read: ReadText;
}

/**
 * Returns the value, or the parsed JSON when the value is a text: models send objects that way.
 *
 * @throws INVALID_INPUT for a text that is not JSON; TOO_LARGE.
 */
export function ownText(given: unknown, field: string, { limits, read }: Reading): unknown {
  if (typeof given !== "string" || (field === "patch.remove" && !given.trimStart().startsWith("["))) return given;
  if (given.length > limits.maxContextBytes) throw tooLarge(given.length, limits);
  const value = parsed(given, field);
  read(field);
  return value;
}

function parsed(text: string, field: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    // The engine's message is dropped because it quotes the text.
    throw invalidInput(field, `${field} is a text that is not JSON.`, `Send ${field} as an object, not as text.`);
  }
}
