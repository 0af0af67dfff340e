import type { SqliteValue } from "./sqlite-driver.ts";
import type { buildStatement, Statement } from "./queries/build-statement.ts";
import { BUILT_STATEMENTS } from "./built-statements.ts";
import { type BuiltRead, parseShape, shaped } from "./read-shape.ts";

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
 * Runs work that reads. When a statement must be built that nobody needed before, loads the query builder and runs the work again: a read
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
