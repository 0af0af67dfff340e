import { readFile } from "node:fs/promises";

export type Context = Readonly<Record<string, unknown>>;

/** The change of the context between two saves. */
export interface Step {
  /** Top-level keys and their new values. */
  readonly set?: Context;
  /** Items to add to the list at a top-level key. */
  readonly append?: Readonly<Record<string, readonly unknown[]>>;
  /** Members to assign to the object at a top-level key. */
  readonly put?: Readonly<Record<string, Context>>;
}

/** An agent's recorded work: the initial context, and the change that each step made. */
export interface Session {
  readonly id: string;
  readonly initial: Context;
  readonly steps: readonly Step[];
}

/**
 * Reads a recorded session.
 *
 * @throws TypeError with the reason when the file holds no recorded session.
 */
export async function readSession(file: string): Promise<Session> {
  const read: unknown = JSON.parse(await readFile(file, "utf8"));
  if (!isObject(read) || !isObject(read["initial"]) || !Array.isArray(read["steps"])) {
    throw new TypeError(`${file} is not a recorded session: it must hold { initial, steps: [{ set?, append?, put? }] }`);
  }
  const { id, initial, steps } = read;
  return { id: typeof id === "string" ? id : "session", initial, steps: steps as Step[] };
}

/** Returns the context after a step. All keys are set as computed keys, so that a key named `__proto__` stays an own key. */
export function applyStep(context: Context, { set = {}, append = {}, put = {} }: Step): Context {
  let next: Context = { ...context, ...set };
  for (const [key, items] of Object.entries(append)) next = { ...next, [key]: [...listAt(next, key), ...items] };
  for (const [key, members] of Object.entries(put)) next = { ...next, [key]: { ...objectAt(next, key), ...members } };
  return next;
}

function listAt(context: Context, key: string): readonly unknown[] {
  const value = Object.hasOwn(context, key) ? context[key] : [];
  if (!Array.isArray(value)) throw new TypeError(`a step appends to ${key}, which is not a list`);
  return value;
}

function objectAt(context: Context, key: string): Context {
  const value = Object.hasOwn(context, key) ? context[key] : {};
  if (!isObject(value)) throw new TypeError(`a step puts members into ${key}, which is not an object`);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
