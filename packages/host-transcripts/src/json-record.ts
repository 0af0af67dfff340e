/** A JSON object with unknown members. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The value if it is a JSON object; otherwise `undefined`. */
export function recordOf(value: unknown): JsonRecord | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;
}

/** The value if it is text and not empty; otherwise `undefined`. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/u;

/** The value if it is a time in ISO 8601; otherwise `undefined`. */
export function timeOf(value: unknown): string | undefined {
  return typeof value === "string" && TIME.test(value) ? value : undefined;
}

/** The items of an array that are JSON objects; none when the value is not an array. */
export function recordsOf(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.flatMap((item: unknown): readonly JsonRecord[] => wrapped(recordOf(item))) : [];
}

function wrapped(record: JsonRecord | undefined): readonly JsonRecord[] {
  return record === undefined ? [] : [record];
}

/** Parses a line; `undefined` for text that is not a JSON object. */
export function parseRecord(text: string): JsonRecord | undefined {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}
