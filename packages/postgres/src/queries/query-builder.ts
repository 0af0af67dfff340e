import {
  type CompiledQuery,
  DummyDriver,
  type Expression,
  expressionBuilder,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type SqlBool,
} from "kysely";
import type { Statement } from "../sql-connection.ts";
import { SCHEMA, type StoredTables } from "../schema.ts";

/** Builds queries. Runs none: see `ask`. */
export const builder: Kysely<StoredTables> = new Kysely<StoredTables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
}).withSchema(SCHEMA);

/** A query that `builder` made. */
export interface Query<Row> {
  compile(): CompiledQuery<Row> & Pick<Statement, "name">;
}

/** Condition; `undefined` for none. */
export type Condition = Expression<SqlBool> | undefined;

/** Joins conditions, all of which must hold. */
export function allOf(conditions: readonly Condition[]): Expression<SqlBool> {
  return expressionBuilder<StoredTables>().and(conditions.filter((each) => each !== undefined));
}
