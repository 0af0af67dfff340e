import type { SqliteValue } from "./sqlite-driver.ts";

/** SQL with the values of its parameters in order. */
export interface Sql {
  readonly sql: string;
  readonly parameters: readonly SqliteValue[];
}

/** Template tag for SQL. An inserted `Sql` becomes part of the text; any other value becomes a parameter. */
export function sql(texts: TemplateStringsArray, ...given: readonly (Sql | SqliteValue)[]): Sql {
  let text = texts[0] ?? "";
  const parameters: SqliteValue[] = [];
  for (const [index, each] of given.entries()) {
    text += isSql(each) ? each.sql : "?";
    if (isSql(each)) parameters.push(...each.parameters);
    else parameters.push(each);
    text += texts[index + 1] ?? "";
  }
  return { sql: text, parameters };
}

/** Joins one or more parts with a text between them. */
export function joined(parts: readonly Sql[], between: string): Sql {
  return { sql: parts.map((part) => part.sql).join(between), parameters: parts.flatMap(({ parameters }) => parameters) };
}

function isSql(given: Sql | SqliteValue): given is Sql {
  return typeof given === "object" && given !== null && "sql" in given;
}
