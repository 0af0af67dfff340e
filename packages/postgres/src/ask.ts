import type { Query } from "./queries/query-builder.ts";
import type { Connection } from "./sql-connection.ts";
import { isMarked, restoredText, storedText } from "./stored-text.ts";

/** Runs a query. Its texts, and those of the rows, may have any characters. */
export async function ask<Row>(connection: Connection, query: Query<Row>): Promise<readonly Row[]> {
  const { sql, parameters, name } = query.compile();
  const rows = await connection.run<Row>({ sql, parameters: parameters.map(stored), name });
  return rows.map(restored);
}

function stored(value: unknown): unknown {
  if (typeof value === "string") return storedText(value);
  return Array.isArray(value) ? value.map(stored) : value;
}

function restored<Row>(row: Row): Row {
  if (!Object.values(row as object).some((value) => typeof value === "string" && isMarked(value))) return row;
  const columns = Object.entries(row as object).map(([name, value]: [string, unknown]) => {
    return [name, typeof value === "string" ? restoredText(value) : value];
  });
  return Object.fromEntries(columns) as Row;
}
