/** A JSON object whose members are not known yet. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The value where it is a JSON object; `undefined` otherwise. */
export function recordOf(value: unknown): JsonRecord | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;
}

/** The value where it is text that is not empty; `undefined` otherwise. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/u;

/** The value where it is a time of ISO 8601; `undefined` otherwise. */
export function timeOf(value: unknown): string | undefined {
  return typeof value === "string" && TIME.test(value) ? value : undefined;
}

/** The members of an array that are JSON objects; none where the value is no array. */
export function recordsOf(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.flatMap((item: unknown): readonly JsonRecord[] => wrapped(recordOf(item))) : [];
}

function wrapped(record: JsonRecord | undefined): readonly JsonRecord[] {
  return record === undefined ? [] : [record];
}

/** The object that a line holds; `undefined` for text that is not a JSON object. */
export function parseRecord(text: string): JsonRecord | undefined {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}
