import { isJsonObject, type JsonValue } from "../model/context.ts";
import { parseData } from "./outline-data.ts";

/**
 * JSON text in fewer tokens and readable as before: without blanks, and without the quotes that nothing hangs on, which
 * cost most where a JSON text is itself inside JSON. Members of a list that have the same keys become rows below them.
 *
 * @returns `undefined` for what is no JSON, or would be read as something else than was written.
 */
export function compactJson(text: string): string | undefined {
  const value = parseData(text);
  if (value === undefined) return undefined;
  const bare = text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/gsu, "$1");
  // Not for numbers beyond what a double holds, keys that come twice and the like.
  const short = sameText(JSON.stringify(value), bare) ? write(value) : bare;
  return short.length < bare.length ? short : bare;
}

/** Escapes may be written in more than one way. */
function sameText(written: string, bare: string): boolean {
  return (
    written === bare ||
    written === bare.replaceAll(/\\u([0-9a-f]{4})/giu, (escape, code: string) => unescaped(escape, code)).replaceAll("\\/", "/")
  );
}

function unescaped(escape: string, code: string): string {
  const unit = Number.parseInt(code, 16);
  return unit > 0x7e && (unit & 0xf800) !== 0xd800 ? String.fromCharCode(unit) : escape;
}

function write(value: JsonValue): string {
  if (typeof value === "string") return writeString(value);
  if (Array.isArray(value)) return writeArray(value);
  if (!isJsonObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${writeString(key)}: ${write(member)}`)
    .join(", ")}}`;
}

/** Fewer rows than this are not worth a head. */
const LEAST_ROWS = 3;

function writeArray(value: readonly JsonValue[]): string {
  const keys = commonKeys(value);
  if (keys === undefined) return `[${value.map((item) => write(item)).join(", ")}]`;
  const rows = value.map((row) => keys.map((key) => write((row as Readonly<Record<string, JsonValue>>)[key] ?? null)).join(", "));
  return `[each ${keys.map((key) => writeString(key)).join(", ")}: ${rows.join("; ")}]`;
}

function commonKeys(rows: readonly JsonValue[]): string[] | undefined {
  const [first] = rows;
  if (rows.length < LEAST_ROWS || !isJsonObject(first)) return undefined;
  const keys = Object.keys(first);
  const head = keys.join("\n");
  return keys.length > 0 && rows.every((row) => isJsonObject(row) && Object.keys(row).join("\n") === head) ? keys : undefined;
}

/** With quotes only where it would be taken for something else. */
function writeString(text: string): string {
  const isPlain =
    text !== "" &&
    text.trim() === text &&
    !/[,;{}[\]"\\\p{Cc}]|: |:$/u.test(text) &&
    !/^(?:true|false|null|each|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?: |$)/iu.test(text);
  return isPlain ? text : JSON.stringify(text);
}
