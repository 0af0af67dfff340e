import { nameOf } from "../kept-statements.ts";
import type { Query } from "./query-builder.ts";

type Compiled = ReturnType<Query<unknown>["compile"]>;

/** Fields whose values become parameters of a query, one for each, as times do. All others may change its text. */
const VALUES: ReadonlySet<string> = new Set(["id", "ids", "notId", "ref", "blobs", "sessionId", "checkpointId", "checkpointIds", "limit"]);
/** Fields that hold other fields. */
const NESTED: ReadonlySet<string> = new Set(["where", "query"]);
/** More than the reads of the rules. Listings have words and dates of their own, and would fill the memory. */
const MOST_COMPILED = 200;

/** Stands for a value while a query is compiled. */
class Marker {
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }

  /** A time is a number in a query. */
  getTime(): this {
    return this;
  }
}

/**
 * Makes a builder of queries that compiles each form of a read once. Building and compiling a query takes longer than the rest of asking it.
 *
 * @param build returns queries that differ only in their parameters for reads that differ only in the fields above.
 * @param isKept tells whether the database may keep the query, and with it a plan for any values. Default: always.
 */
export function prepared<R extends object, Row>(
  build: (tenant: string, read: R) => Query<Row>,
  isKept: (read: R) => boolean = () => true,
): (tenant: string, read: R) => Query<Row> {
  const known = new Map<string, Compiled>();
  return (tenant, read) => {
    const values: unknown[] = [tenant];
    const form = formOf(read, values) as R;
    const key = JSON.stringify(form);
    const compiled = known.get(key) ?? compiledOf(build(new Marker(0) as unknown as string, form), isKept(read));
    if (known.size === MOST_COMPILED) known.clear();
    known.set(key, compiled);
    return withValues(compiled, values);
  };
}

/** Most rows of a statement that is kept. */
const MOST_ROWS = 16;

/**
 * Makes a builder of statements that write rows, and compiles a statement once for each number of rows and their columns.
 *
 * @param build returns statements that differ only in their parameters for as many rows with the same columns.
 */
export function preparedRows<Row extends object>(
  build: (rows: readonly Row[]) => Query<unknown>,
): (rows: readonly Row[]) => Query<unknown> {
  const known = new Map<string, Compiled>();
  return (rows) => {
    if (rows.length > MOST_ROWS) return build(rows);
    const values = rows.flatMap((row) => Object.values(row) as unknown[]);
    const key = rows.map((row) => Object.keys(row).join()).join(";");
    let compiled = known.get(key);
    if (compiled === undefined) {
      let at = 0;
      const marked = rows.map((row) => Object.fromEntries(Object.keys(row).map((name) => [name, new Marker(at++)])));
      compiled = compiledOf(build(marked as unknown as readonly Row[]), true);
      known.set(key, compiled);
    }
    return withValues(compiled, values);
  };
}

function compiledOf(query: Query<unknown>, isKept: boolean): Compiled {
  const compiled = query.compile();
  return isKept ? { ...compiled, name: nameOf(compiled.sql) } : compiled;
}

function withValues(compiled: Compiled, values: readonly unknown[]): Query<never> {
  const parameters = compiled.parameters.map((value) => (value instanceof Marker ? values[value.at] : value));
  return { compile: () => ({ ...compiled, parameters }) };
}

/** Copies a read with markers for its values, which are added to the list. */
function formOf(read: object, values: unknown[]): object {
  const fields = Object.entries(read).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    fields.map(([name, value]: [string, unknown]) => {
      if (VALUES.has(name)) return [name, new Marker(values.push(value) - 1)];
      if (value instanceof Date) return [name, new Marker(values.push(value.getTime()) - 1)];
      return [name, NESTED.has(name) ? formOf(value as object, values) : value];
    }),
  );
}
