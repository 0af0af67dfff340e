import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";
import type { Position } from "../read-shape.ts";

/** A value that a statement binds when it runs. */
export interface Bound {
  readonly position: Position;
}

/**
 * Value to bind. In a statement with ORDER BY, SQLite plans anew each time that a parameter is bound that a column is compared with,
 * which takes ten times as long as finding the row. With a `+` before it, the parameter is an expression, and the plan stays.
 */
export function text(position: Position): RawBuilder<string> {
  return sql<string>`+${{ position } satisfies Bound}`;
}

/** See `text`. */
export function number(position: Position): RawBuilder<number> {
  return sql<number>`+${{ position } satisfies Bound}`;
}

/** Condition for a text that is in a list. The list is bound as JSON. */
export function isListed(column: Expression<unknown>, list: Position): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} in (select value from json_each(${text(list)}))`;
}

/** Condition for a JSON list that has a text. */
export function has(list: Expression<unknown>, wanted: Position): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from json_each(${list}) where value = ${text(wanted)})`;
}

/** Condition for a JSON list that has one of several texts. They are bound as JSON. */
export function hasAny(list: Expression<unknown>, wanted: Position): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from json_each(${list}) where value in (select value from json_each(${text(wanted)})))`;
}

/** Rows with the texts of a JSON list. */
export function elements(list: Expression<unknown>): RawBuilder<{ readonly value: string }> {
  return sql<{ readonly value: string }>`json_each(${list})`;
}

/** Condition for a substring. `LIKE` would read wildcards in the text. */
export function contains(column: Expression<unknown>, part: Position): RawBuilder<SqlBool> {
  return sql<SqlBool>`instr(${column}, ${text(part)}) > 0`;
}

/** Member of a JSON object, by the keys that lead to it. */
export function member<T = string | null>(object: Expression<unknown>, ...keys: readonly string[]): RawBuilder<T> {
  const [key = "", ...rest] = keys.map((each) => sql.lit(each)).toReversed();
  return sql<T>`${sql.join([object, ...rest.toReversed()], sql` -> `)} ->> ${key}`;
}

/** Column that no index is used for. */
export function unindexed<T>(column: Expression<T>): RawBuilder<T> {
  return sql<T>`+${column}`;
}
