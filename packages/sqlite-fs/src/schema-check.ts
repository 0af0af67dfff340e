import type { Migration } from "./migrations.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { OpenDatabase, SqliteStatement } from "./sqlite-driver.ts";

/** True when a database has every definition that the migrations create, unchanged. Further definitions make no difference. */
export function isAsMigrated(
  database: Pick<SqliteConnection, "statement">,
  migrations: readonly Migration[],
  openDatabase: OpenDatabase,
): boolean {
  const blank = openDatabase(":memory:", 0);
  try {
    for (const { sql } of migrations) blank.exec(sql);
    const there = new Set(definitionsIn(database.statement(DEFINITIONS)));
    return definitionsIn(blank.prepare(DEFINITIONS)).every((definition) => there.has(definition));
  } finally {
    blank.close();
  }
}

const DEFINITIONS = "SELECT type, name, tbl_name, sql FROM sqlite_schema";

function definitionsIn(statement: SqliteStatement): readonly string[] {
  return statement.all().map((row) => JSON.stringify(row));
}
