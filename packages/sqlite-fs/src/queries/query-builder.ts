import {
  DummyDriver,
  type Expression,
  expressionBuilder,
  Kysely,
  type SqlBool,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { StoredTables } from "../schema.ts";

/** Builds queries. Runs none: the driver of the catalog does. */
export const builder: Kysely<StoredTables> = new Kysely<StoredTables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** Condition; `undefined` for none. */
export type Condition = Expression<SqlBool> | undefined;

/** Joins conditions, all of which must hold. */
export function allOf(conditions: readonly Condition[]): Expression<SqlBool> {
  return expressionBuilder<StoredTables>().and(conditions.filter((each) => each !== undefined));
}
