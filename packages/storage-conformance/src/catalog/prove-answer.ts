import { ALL, type Answers, type MemoryTables, type Read } from "@workrail/core";
import { expect } from "vitest";

/** Expects the answer that core's rows in memory give. The order counts only where the read asks for one. */
export function expectAnswer(read: Read, answer: unknown, tables: MemoryTables): void {
  const message = `answer to ${JSON.stringify(read)}`;
  if (read.of === "mark") {
    const places = tables.audit.map(({ number }) => number);
    const { number } = (answer ?? {}) as Partial<NonNullable<Answers["mark"]>>;
    if (number !== undefined) expect(places, message).toContain(number);
    return;
  }
  const expected = known(tables.answer(read));
  answer = known(answer);
  if (!Array.isArray(expected) || !Array.isArray(answer)) expect(comparable(answer), message).toEqual(comparable(expected));
  else if (isOrdered(read)) expect(answer.map(comparable), message).toEqual(expected.map(comparable));
  else if (expected.length === wholeOf(read, tables).length) expect(sorted(answer), message).toEqual(sorted(expected));
  else proveSome(answer, { count: expected.length, whole: wholeOf(read, tables) }, message);
}

/** Leaves out removals that are done: only a store with session facts outside of the catalog keeps them. */
function known(answer: unknown): unknown {
  return Array.isArray(answer) ? answer.filter((row: Partial<Answers["removals"][number]>) => row.isDone !== true) : answer;
}

function isOrdered(read: Read): boolean {
  switch (read.of) {
    case "checkpoints":
    case "places":
      return read.order !== "any";
    case "sessions":
    case "audit":
      return true;
    default:
      return false;
  }
}

/** Returns the rows that a read without an order selects from. */
function wholeOf(read: Read, tables: MemoryTables): readonly unknown[] {
  if (read.of === "checkpoints") return tables.answer({ ...read, limit: ALL, offset: 0 });
  if (read.of === "places" || read.of === "removals") return known(tables.answer({ ...read, limit: ALL })) as readonly unknown[];
  return known(tables.answer(read)) as readonly unknown[];
}

/** Any rows will do, but as many as asked for, and none twice. */
function proveSome(
  answer: readonly unknown[],
  { count, whole }: { readonly count: number; readonly whole: readonly unknown[] },
  message: string,
): void {
  const all = new Set(sorted(whole));
  expect(new Set(sorted(answer)).size, message).toBe(count);
  for (const row of sorted(answer)) expect(all, message).toContain(row);
}

function sorted(rows: readonly unknown[]): readonly string[] {
  return rows.map((row) => JSON.stringify(inKeyOrder(comparable(row)))).sort();
}

/** Leaves out what adapters may do differently, and keeps the order of the keys of attributes. */
function comparable(row: unknown): unknown {
  if (typeof row !== "object" || row === null) return row;
  // The chain checks digests. Only some adapters mend.
  const { digest: _, mendings: __, ...rest } = row as Readonly<Record<string, unknown>>;
  if ("sums" in rest && "edges" in rest) return { sums: rest["sums"], edges: sorted(rest["edges"] as readonly unknown[]) };
  // This reason names a digest.
  if (rest["action"] === "audit-cut") return { ...rest, reason: undefined };
  if (!("record" in rest)) return rest;
  const record = rest["record"] as Answers["checkpoints"][number]["record"];
  return { ...rest, record: { ...record, attributes: JSON.stringify(record.attributes) } };
}

function inKeyOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Date) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, inKeyOrder(each)]));
}
