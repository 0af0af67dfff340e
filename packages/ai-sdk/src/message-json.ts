import { WorkrailError } from "@workrail/runtime";

/** A value as JSON has it. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Marks what JSON cannot hold: `{ "$type": "Uint8Array", "value": "AAEC" }`. */
const TYPE = "$type";

/**
 * Returns messages as JSON from which `messagesFromJson` makes equal ones. Bytes, URLs, dates, big integers, maps and sets are marked; any
 * other value becomes what `JSON.stringify` makes of it.
 */
export function messagesToJson(messages: readonly object[]): Json[] {
  try {
    return messages.map((message) => toJson(message) ?? null);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new WorkrailError("INVALID_INPUT", "A message contains itself, or is nested too deeply.", {
      details: { field: "messages" },
      hint: "Remove the reference to an outer object, as JSON.stringify requires too.",
      cause: error,
    });
  }
}

/** Returns the messages that `messagesToJson` was given. */
export function messagesFromJson<Message extends object>(saved: unknown): Message[] {
  return Array.isArray(saved) ? saved.map((message: unknown) => fromJson(message) as Message) : [];
}

/** `undefined` for what JSON leaves out. */
function toJson(value: unknown): Json | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? value : marked("number", numberText(value));
  if (typeof value === "bigint") return marked("bigint", value.toString());
  if (typeof value !== "object") return undefined;
  if (Array.isArray(value)) return value.map((item: unknown) => toJson(item) ?? (item === undefined ? marked("undefined", null) : null));
  return objectToJson(value);
}

function objectToJson(value: object): Json | undefined {
  if (value instanceof Uint8Array) return marked(Buffer.isBuffer(value) ? "Buffer" : "Uint8Array", base64(value));
  if (value instanceof ArrayBuffer) return marked("ArrayBuffer", base64(new Uint8Array(value)));
  if (value instanceof URL) return marked("URL", value.href);
  if (value instanceof Date) return marked("Date", toJson(value.getTime()) ?? null);
  if (value instanceof Map) return marked("Map", toJson([...value]) ?? null);
  if (value instanceof Set) return marked("Set", toJson([...value]) ?? null);
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return toJson(toJSON.call(value));
  const members = Object.entries(value).flatMap(([key, member]) => {
    const json = toJson(member);
    return json === undefined ? [] : [[key, json] as const];
  });
  const object = Object.fromEntries(members);
  return Object.hasOwn(object, TYPE) ? marked("Object", object) : object;
}

function fromJson(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(fromJson);
  const members = json as { readonly [key: string]: unknown };
  const type = Object.hasOwn(members, TYPE) ? members[TYPE] : undefined;
  if (typeof type !== "string" || Object.keys(members).length !== 2) return membersFrom(members);
  try {
    return unmarked(type, members["value"]);
  } catch {
    // Another program saved an object that only looks like a mark.
    return membersFrom(members);
  }
}

/** Throws when the value is not one of the type. */
function unmarked(type: string, value: unknown): unknown {
  switch (type) {
    case "Buffer":
      return Buffer.from(String(value), "base64");
    case "Uint8Array":
      return bytesFrom(value);
    case "ArrayBuffer":
      return bytesFrom(value).buffer;
    case "URL":
      return new URL(String(value));
    case "Date":
      return new Date(fromJson(value) as number);
    case "Map":
      return new Map(fromJson(value) as [unknown, unknown][]);
    case "Set":
      return new Set(fromJson(value) as unknown[]);
    case "number":
      return Number(value);
    case "bigint":
      return BigInt(String(value));
    case "undefined":
      return undefined;
    case "Object":
      if (typeof value === "object" && value !== null) return membersFrom({ ...value });
      throw new TypeError("An object has members.");
    default:
      throw new TypeError(`There is no mark ${type}.`);
  }
}

function membersFrom(members: { readonly [key: string]: unknown }): object {
  return Object.fromEntries(Object.entries(members).map(([key, member]) => [key, fromJson(member)]));
}

function marked(type: string, value: Json): Json {
  return { [TYPE]: type, value };
}

function numberText(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** The bytes in memory of their own, because a `Buffer` shares its memory with others. */
function bytesFrom(value: unknown): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(String(value), "base64"));
}
