import { isJsonObject, type JsonObject, type JsonValue } from "@workrail/core";

/** Returns an own member of a record, never an inherited one such as `constructor`. */
export function ownMember(record: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export function isEmpty(value: JsonValue): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** Writes a value in one line for people: texts without quotes, records with names. */
export function plain(value: JsonValue): string {
  if (typeof value === "string") return value.replaceAll(/\s+/gu, " ").trim();
  if (Array.isArray(value)) return value.map((item) => plain(item)).join(", ");
  if (isJsonObject(value))
    return Object.entries(value)
      .map(([key, member]) => `${key}: ${typeof member === "object" && member !== null ? `(${plain(member)})` : plain(member)}`)
      .join(", ");
  return JSON.stringify(value);
}

export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** Returns a text unchanged, other values as JSON. */
export function plainLong(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Returns the width of a text in Latin characters: a Chinese, Japanese or Korean one says and costs as much as three. */
export function widthOf(text: string): number {
  return text.length + 2 * (text.match(WIDE)?.length ?? 0);
}
