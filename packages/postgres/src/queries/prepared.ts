import type { Query } from "./query-builder.ts";

type Compiled = ReturnType<Query<unknown>["compile"]>;

/** Fields whose values become parameters of a query, one for each. All others may change its text. */
const VALUES: ReadonlySet<string> = new Set(["id", "ids", "notId", "ref", "blobs", "sessionId", "checkpointId", "checkpointIds", "limit"]);
/** Fields that hold other fields. */
const NESTED: ReadonlySet<string> = new Set(["where", "query"]);
/** More than the reads of the rules. Listings have words and dates of their own, and would fill the memory. */
const MOST_KEPT = 200;

/** Stands for a value while a query is compiled. */
class Marker {
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }
}

/**
 * Makes a builder of queries that compiles each form of a read once. Building and compiling a query takes longer than the rest of asking it.
 *
 * @param build returns queries that differ only in their parameters for reads that differ only in the fields above.
 */
export function prepared<R extends object, Row>(build: (tenant: string, read: R) => Query<Row>): (tenant: string, read: R) => Query<Row> {
  const known = new Map<string, Compiled>();
  return (tenant, read) => {
    const values: unknown[] = [tenant];
    const form = formOf(read, values) as R;
    const key = JSON.stringify(form);
    const compiled = known.get(key) ?? build(new Marker(0) as unknown as string, form).compile();
    if (known.size === MOST_KEPT) known.clear();
    known.set(key, compiled);
    const parameters = compiled.parameters.map((value) => (value instanceof Marker ? values[value.at] : value));
    return { compile: () => ({ ...compiled, parameters }) };
  };
}

/** Copies a read with markers for its values, which are added to the list. */
function formOf(read: object, values: unknown[]): object {
  const fields = Object.entries(read).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    fields.map(([name, value]: [string, unknown]) => {
      if (VALUES.has(name)) return [name, new Marker(values.push(value) - 1)];
      return [name, NESTED.has(name) ? formOf(value as object, values) : value];
    }),
  );
}
