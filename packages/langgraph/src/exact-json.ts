import { type JsonValue, parseJson } from "@workrail/core";

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Returns the value of a serialised JSON text, if writing it again gives the same bytes. `undefined` for texts with other spaces, with
 * numbers that JavaScript rounds, and for bytes that are no JSON: a serialiser may encrypt what it calls JSON.
 */
export function exactJson(data: Uint8Array): JsonValue | undefined {
  try {
    const text = DECODER.decode(data);
    const json = parseJson(text);
    return JSON.stringify(json) === text ? json : undefined;
  } catch {
    return undefined;
  }
}
