import type { SqliteValue } from "./sqlite-driver.ts";

/** SQL, and the values of its question marks in their order. */
export interface Sql {
  readonly sql: string;
  readonly parameters: readonly SqliteValue[];
}

/** Writes SQL. What is put into it is SQL that was written so, or else a value, which becomes a parameter and never a part of the text. */
export function sql(texts: TemplateStringsArray, ...given: readonly (Sql | SqliteValue)[]): Sql {
  const parts = given.map((each) => (isSql(each) ? each : { sql: "?", parameters: [each] }));
  return {
    sql: texts.map((text, index) => text + (parts[index]?.sql ?? "")).join(""),
    parameters: parts.flatMap(({ parameters }) => parameters),
  };
}

/** Several, with a text between them; there must be one at least. */
export function joined(parts: readonly Sql[], between: string): Sql {
  return { sql: parts.map((part) => part.sql).join(between), parameters: parts.flatMap(({ parameters }) => parameters) };
}

function isSql(given: Sql | SqliteValue): given is Sql {
  return typeof given === "object" && given !== null && "sql" in given;
}
