import { expect, it } from "vitest";
import type { StoredTables } from "../schema.ts";
import { prepared, preparedRows } from "./prepared.ts";
import { builder, type Query } from "./query-builder.ts";
import { countQuery } from "./read-queries.ts";

type Edge = StoredTables["edge"];

function insertion(rows: readonly Edge[]): Query<unknown> {
  return builder.insertInto("edge").values(rows);
}

function compiled(query: Query<unknown>): object {
  const { sql, parameters } = query.compile();
  return { sql, parameters };
}

it.each([1, 2, 2, 16, 17])("a kept statement for %d rows is the one built for them", (count) => {
  const insert = preparedRows(insertion);
  for (const name of ["one", "other"]) {
    const rows = Array.from({ length: count }, (_, index) => ({ tenant_id: name, dependent: `d${index}`, base: `b${index}` }));
    expect(compiled(insert(rows))).toEqual(compiled(insertion(rows)));
  }
});

it("rows with other columns, or the same in another order, get a statement of their own", () => {
  const insert = preparedRows(insertion);
  const rows = [
    { tenant_id: "t", dependent: "d", base: "b" },
    { base: "b", dependent: "d", tenant_id: "t" },
    { tenant_id: "t", base: "b" } as Edge,
  ];
  for (const row of [...rows, ...rows]) expect(compiled(insert([row]))).toEqual(compiled(insertion([row])));
});

it("reads that differ in ids and times alone share a statement", () => {
  let built = 0;
  const count = prepared((tenant: string, read: Parameters<typeof countQuery>[1]) => {
    built += 1;
    return countQuery(tenant, read);
  });
  for (const at of [1_000, 2_000]) {
    const read = { of: "count", where: { state: "live", unshieldedAt: new Date(at), notId: `id ${at}` as never } } as const;
    expect(compiled(count("t", read))).toEqual(compiled(countQuery("t", read)));
  }
  expect(built).toBe(1);
});
