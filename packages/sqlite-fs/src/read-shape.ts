import { foldedForms, type Read } from "@workrail/core";
import type { SqliteValue } from "./sqlite-driver.ts";

/** Read whose statement depends on which of its members are set. */
export type BuiltRead = Extract<
  Read,
  { readonly of: "checkpoints" | "places" | "count" | "sessions" | "edges" | "removals" | "erasures" | "audit" }
>;

/** Members whose values decide the SQL. All of them have few values. */
type Deciding = (typeof DECIDING)[number];

/** Place of a value among the values to bind. */
export type Position = number;

/** A read in which positions stand for the values to bind. The SQL of a statement depends on the shape alone. */
export type Shape<T> = {
  readonly [K in keyof T]: K extends Deciding
    ? T[K]
    : K extends "where" | "query"
      ? Shape<T[K]>
      : (K extends keyof Several ? Several[K] : Positions<Exclude<T[K], undefined>>) | Extract<T[K], undefined>;
};

type Positions<T> = T extends readonly [Date, string] ? readonly [Position, Position] : Position;

/** Members that are bound as several values. */
interface Several {
  /** Each attribute as a JSON object with one member. */
  readonly attributes: readonly Position[];
  readonly tags: readonly Position[];
  /** Each word as it is, and in its JSON form where that differs: attributes are stored as JSON. */
  readonly words: readonly (readonly Position[])[];
}

export interface ShapedRead {
  /** The shape as JSON, with its members in order. */
  readonly key: string;
  readonly values: readonly SqliteValue[];
}

/** Separates the values of a read from its shape. */
export function shaped(read: BuiltRead): ShapedRead {
  const values: SqliteValue[] = [];
  return { key: shapeOf(read, (value) => values.push(value) - 1), values };
}

/** Parses the shape from its key. */
export function parseShape(key: string): Shape<BuiltRead> {
  return JSON.parse(key) as Shape<BuiltRead>;
}

const DECIDING = [
  "of",
  "state",
  "order",
  "kinds",
  "notKinds",
  "damaged",
  "isShielded",
  "headsOnly",
  "has",
  "isDone",
  "isNoBase",
  "actions",
  "first",
] as const;
const DECIDES: ReadonlySet<string> = new Set(DECIDING);

/** Members with other members. */
const NESTED: ReadonlySet<string> = new Set(["where", "query"]);

/** Lists that may be long, and are bound as one JSON text. */
const LISTS: ReadonlySet<string> = new Set(["ids", "checkpointIds", "blobs", "dependents", "bases", "sessionIds", "ownTags"]);

type Bind = (value: SqliteValue) => Position;

/** Sorts the members, so that reads with the same members have the same shape. */
function shapeOf(given: object, bind: Bind): string {
  let shape = "";
  for (const name of Object.keys(given).sort()) {
    const member = memberOf(name, (given as Readonly<Record<string, unknown>>)[name], bind);
    if (member !== undefined) shape += `${shape === "" ? "" : ","}"${name}":${member}`;
  }
  return `{${shape}}`;
}

/** Returns the JSON of a member; `undefined` for one that is no condition. */
function memberOf(name: string, value: unknown, bind: Bind): string | undefined {
  if (value === undefined) return undefined;
  if (DECIDES.has(name)) return JSON.stringify(value);
  if (NESTED.has(name)) return shapeOf(value as object, bind);
  if (name === "attributes")
    return listOrNone(Object.entries(value as object).map(([key, each]) => bind(JSON.stringify({ [key]: each as unknown }))));
  if (LISTS.has(name)) return String(bind(JSON.stringify(value)));
  if (Array.isArray(value)) return listOrNone(value.map((each) => memberOf(name, each, bind)));
  if (value instanceof Date) return String(bind(value.getTime()));
  if (name === "words") return listOf(foldedForms(value as string).map(bind));
  return String(bind(name === "name" ? (value as string).toLowerCase() : (value as SqliteValue)));
}

function listOrNone(members: readonly (string | number | undefined)[]): string | undefined {
  return members.length === 0 ? undefined : listOf(members);
}

function listOf(members: readonly (string | number | undefined)[]): string {
  return `[${members.join(",")}]`;
}
