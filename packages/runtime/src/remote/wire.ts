import { ERROR_CODES, invalidInput, isPlain, isWorkrailError, parseJson, WorkrailError } from "@workrail/core";

/** Version of the messages between a program and a node. */
export const WIRE_VERSION = 1;

/** Key of an object that encodes a value that JSON lacks. Keys of that kind in the data get one more `$`. */
const TAG = "$";
const TAG_LIKE = /^\$+$/u;

type Made = readonly [kind: string, value?: unknown];

/** True for the name of a callback parameter, such as `onProgress`, whose result is ignored. */
export function isCallback(name: string): boolean {
  return /^on[A-Z]/u.test(name);
}

/** A member of a value to write. `simple` is the raw value, or comes from its method `toJSON`. */
interface Member {
  readonly key: string;
  readonly raw: unknown;
  readonly simple: unknown;
}

/**
 * Writes a value as one line of JSON from which `parseWire` makes the same value. @throws TypeError for functions and the like.
 *
 * @param check called with each member that JSON alone encodes.
 */
export function writeWire(value: unknown, check: (member: Member) => void = () => {}): string {
  return JSON.stringify(value, function encode(this: object, key: string, simple: unknown): unknown {
    const raw: unknown = (this as Readonly<Record<string, unknown>>)[key];
    const made = tagOf(raw, Array.isArray(this));
    if (made !== undefined) return { [TAG]: made };
    check({ key, raw, simple });
    return hasTagLike(simple) ? escaped(simple) : simple;
  });
}

/** Refuses an object that JSON would change silently, as a local store does. */
function refuseChanged({ key, raw, simple }: Member): void {
  const isKept = raw === simple && (typeof raw !== "object" || raw === null || Array.isArray(raw) || isPlain(raw));
  if (!isKept) throw new TypeError(`${JSON.stringify(key)} is not a plain object.`);
}

/** Copies a value as a node would get it. @throws INVALID_INPUT for functions, objects of a class and the like, and for cycles. */
export function copyOfWire<T>(value: T): T {
  return parseWire(writeParams(value)) as T;
}

/** Writes parameters. @throws INVALID_INPUT for functions, objects of a class and the like, and for cycles. */
export function writeParams(params: unknown): string {
  try {
    return writeWire(params, refuseChanged);
  } catch (cause) {
    throw invalidInput(
      "params",
      `The parameters cannot be sent to a node: ${cause instanceof Error ? cause.message : "they are not JSON"}`,
      "Send JSON values, without objects that contain themselves.",
    );
  }
}

/** @throws SyntaxError for a text that is not JSON. */
export function parseWire(text: string): unknown {
  return revived(parseJson(text));
}

/** Makes the values that tagged objects stand for, the inner ones first. */
function revived(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = revived(item);
    return value;
  }
  const object = value as Record<string, unknown>;
  for (const [key, member] of Object.entries(object)) object[key] = revived(member);
  if (!hasTagLike(object)) return object;
  const made = object[TAG];
  return made === undefined ? unescaped(object) : valueOf(made as Made);
}

function tagOf(value: unknown, isItem: boolean): Made | undefined {
  if (value === undefined) return isItem ? ["undefined"] : undefined;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? undefined : ["number", String(value)];
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint")
    throw new TypeError(`A ${typeof value} cannot be sent to a node.`);
  if (value instanceof Date) return ["date", value.getTime()];
  if (value instanceof Uint8Array) return ["bytes", Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64")];
  if (value instanceof Map) return ["map", [...value]];
  if (value instanceof Set) return ["set", [...value]];
  if (!isWorkrailError(value)) return undefined;
  const { code, message, details, hint } = value;
  return ["error", { code, message, details, hint }];
}

function valueOf([kind, value]: Made): unknown {
  switch (kind) {
    case "undefined":
      return undefined;
    case "number":
      return value === "-0" ? -0 : Number(value);
    case "date":
      return new Date(Number(value));
    case "bytes":
      return Uint8Array.from(Buffer.from(String(value), "base64"));
    case "map":
      return new Map(value as [unknown, unknown][]);
    case "set":
      return new Set(value as unknown[]);
    case "error":
      return errorOf(value as Pick<WorkrailError, "code" | "message" | "details" | "hint">);
    default:
      throw new SyntaxError(`The value has the unknown kind ${kind}.`);
  }
}

/** A code of a newer version is not known here. */
function errorOf({ code, message, details, hint }: Pick<WorkrailError, "code" | "message" | "details" | "hint">): WorkrailError {
  const isKnown = Object.hasOwn(ERROR_CODES, code);
  const options = { details: { ...details, ...(isKnown ? {} : { code }) }, ...(hint === undefined ? {} : { hint }) };
  return new WorkrailError(isKnown ? code : "INTERNAL", message, options);
}

function hasTagLike(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) return false;
  return Object.keys(value).some((name) => TAG_LIKE.test(name));
}

function escaped(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [TAG_LIKE.test(key) ? `${key}$` : key, each]));
}

function unescaped(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [TAG_LIKE.test(key) ? key.slice(1) : key, each]));
}
