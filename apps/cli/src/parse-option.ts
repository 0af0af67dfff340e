import { isJsonObject, type JsonObject } from "@workrail/core";
import { InvalidArgumentError } from "commander";

/** An empty one would mean the working directory: most likely a variable that is not set. */
export function parsePath(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}

export function parseWhole(text: string): number {
  if (!/^\d{1,15}$/u.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

export function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Falls through to the one refusal.
  }
  if (!isJsonObject(value)) throw new InvalidArgumentError("It must be a JSON object.");
  return value;
}

/** Gathers an option that may be repeated. */
export function collect(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text];
}
