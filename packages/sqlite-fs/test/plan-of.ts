import { buildStatement } from "../src/queries/build-statement.ts";
import { type BuiltRead, parseShape } from "../src/read-shape.ts";
import type { SqliteDatabase } from "../src/sqlite-driver.ts";
import { shaped } from "../src/statement-of.ts";

/** Returns the steps of SQLite's plan for a read. */
export function planOf(database: SqliteDatabase, read: BuiltRead): readonly string[] {
  const { key, values } = shaped(read);
  const { sql, binds } = buildStatement(parseShape(key));
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...binds.map((position) => values[position] ?? null));
  return (steps as readonly { readonly detail: string }[]).map(({ detail }) => detail);
}
