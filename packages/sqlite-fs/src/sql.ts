import type { SqliteValue } from "./sqlite-driver.ts";

/** SQL with the values of its parameters in order. */
export interface Sql {
  readonly sql: string;
  readonly parameters: readonly SqliteValue[];
}

/** Template tag for SQL. An inserted `Sql` becomes part of the text; any other value becomes a parameter. */
export function sql(texts: TemplateStringsArray, ...given: readonly (Sql | SqliteValue)[]): Sql {
  const parts = given.map((each) => (isSql(each) ? each : { sql: "?", parameters: [each] }));
  return {
    sql: texts.map((text, index) => text + (parts[index]?.sql ?? "")).join(""),
    parameters: parts.flatMap(({ parameters }) => parameters),
  };
}

/** Joins one or more parts with a text between them. */
export function joined(parts: readonly Sql[], between: string): Sql {
  return { sql: parts.map((part) => part.sql).join(between), parameters: parts.flatMap(({ parameters }) => parameters) };
}

function isSql(given: Sql | SqliteValue): given is Sql {
  return typeof given === "object" && given !== null && "sql" in given;
}
