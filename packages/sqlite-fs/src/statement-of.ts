import { foldedForms } from "@workrail/core";
import type { SqliteValue } from "./sqlite-driver.ts";
import type { buildStatement, Statement } from "./queries/build-statement.ts";
import { BUILT_STATEMENTS } from "./built-statements.ts";
import { type BuiltRead, DECIDING, parseShape } from "./read-shape.ts";

/** Filters come in many shapes. Without a limit, a long-lived server would keep all statements. */
const MAX_STATEMENTS = 300;

let statements = new Map(Object.entries(BUILT_STATEMENTS));

let build: typeof buildStatement | undefined;

export interface BoundStatement {
  readonly sql: string;
  readonly values: readonly SqliteValue[];
}

/**
 * Returns the statement that answers a read, and the values to bind.
 *
 * @throws an error that `withQueryBuilder` catches when the statement must be built and the query builder is not loaded.
 */
export function statementOf(read: BuiltRead): BoundStatement {
  const { key, values } = shaped(read);
  const { sql, binds } = statements.get(key) ?? newStatement(key);
  return { sql, values: binds.map((position) => values[position] ?? null) };
}

function newStatement(key: string): Statement {
  if (build === undefined) throw new QueryBuilderNeeded("A statement must be built, and the query builder is not loaded.");
  if (statements.size >= MAX_STATEMENTS) statements = new Map(Object.entries(BUILT_STATEMENTS));
  const statement = build(parseShape(key));
  statements.set(key, statement);
  return statement;
}

/**
 * Runs work that reads. Loads the query builder and reruns the work when a new statement must be built: a read
 * within a transaction cannot wait, and most processes never need the builder.
 */
export async function withQueryBuilder<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof QueryBuilderNeeded)) throw error;
  }
  ({ buildStatement: build } = await import("./queries/build-statement.ts"));
  return work();
}

class QueryBuilderNeeded extends Error {}

export interface ShapedRead {
  /** The shape as JSON, with its members in order. */
  readonly key: string;
  readonly values: readonly SqliteValue[];
}

/** Separates the values of a read from its shape. */
export function shaped(read: BuiltRead): ShapedRead {
  const values: SqliteValue[] = [];
  return { key: shapeOf(read, values), values };
}

const DECIDES: ReadonlySet<string> = new Set(DECIDING);

/** Members with other members. */
const NESTED: ReadonlySet<string> = new Set(["where", "query"]);

/** Lists that may be long, and are bound as one JSON text. */
const LISTS: ReadonlySet<string> = new Set(["ids", "checkpointIds", "blobs", "dependents", "bases", "sessionIds", "ownTags"]);

/** Sorts the members, so that reads with the same members have the same shape. */
function shapeOf(given: object, values: SqliteValue[]): string {
  let shape = "";
  for (const name of Object.keys(given).sort()) {
    const member = memberOf(name, (given as Readonly<Record<string, unknown>>)[name], values);
    if (member !== undefined) shape += `${shape === "" ? "" : ","}"${name}":${member}`;
  }
  return `{${shape}}`;
}

/** Returns the JSON of a member; `undefined` for one that is not a condition. */
function memberOf(name: string, value: unknown, values: SqliteValue[]): string | undefined {
  if (value === undefined) return undefined;
  if (DECIDES.has(name)) return JSON.stringify(value);
  if (NESTED.has(name)) return shapeOf(value as object, values);
  if (name === "attributes") {
    return listOrNone(Object.entries(value as object).map(([key, each]) => bound(JSON.stringify({ [key]: each as unknown }), values)));
  }
  if (LISTS.has(name)) return bound(JSON.stringify(value), values);
  if (Array.isArray(value)) return listOrNone(value.map((each) => memberOf(name, each, values)));
  if (value instanceof Date) return bound(value.getTime(), values);
  if (name === "words") return listOf(foldedForms(value as string).map((form) => bound(form, values)));
  return bound(name === "name" ? (value as string).toLowerCase() : (value as SqliteValue), values);
}

/** Adds a value to bind, and returns its place. */
function bound(value: SqliteValue, values: SqliteValue[]): string {
  return String(values.push(value) - 1);
}

function listOrNone(members: readonly (string | undefined)[]): string | undefined {
  return members.length === 0 ? undefined : listOf(members);
}

function listOf(members: readonly (string | undefined)[]): string {
  return `[${members.join(",")}]`;
}
