import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { NewRecord } from "../../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import { aRecord } from "../../../../storage-conformance/src/builders.ts";
import { orderByLineage } from "./order-by-lineage.ts";
import { runsOf } from "../../../../storage-conformance/test/long-form.ts";

function record(id: string, parentId: string | null, second = 0): NewRecord {
  return aRecord({
    id: id as CheckpointId,
    sessionId: "s" as SessionId,
    parentId: parentId as CheckpointId | null,
    createdAt: new Date(second * 1_000),
  });
}

function idsOf(records: readonly NewRecord[]): string[] {
  return orderByLineage(records).map(({ id }) => id);
}

it("orderByLineage puts parents before children, regardless of the clock", () => {
  expect(idsOf([record("c", "b", 1), record("b", "a", 2), record("a", null, 3)])).toEqual(["a", "b", "c"]);
});

it("orderByLineage breaks ties by creation time, then by id", () => {
  expect(idsOf([record("x", null, 2), record("y", null, 1), record("b", "y", 3), record("a", "y", 3)])).toEqual(["y", "x", "a", "b"]);
});

it("orderByLineage begins with a record whose parent is missing", () => {
  expect(idsOf([record("child", "orphan", 2), record("orphan", "pruned", 1)])).toEqual(["orphan", "child"]);
});

it("orderByLineage puts records with cyclic lineage after the others", () => {
  expect(idsOf([record("a", "b", 1), record("b", "a", 2), record("self", "self", 9), record("under", "a", 0)])).toEqual([
    "self",
    "under",
    "a",
    "b",
  ]);
});

const anyRecords = fc
  .array(fc.record({ parent: fc.option(fc.nat(60), { nil: null }), second: fc.nat(5) }), { maxLength: 60 })
  .map((all) => all.map(({ parent, second }, index) => record(`c${index}`, parent === null ? null : `c${parent}`, second)));

it("orderByLineage keeps every record once, parents first, independent of the input order", () => {
  fc.assert(
    fc.property(
      anyRecords.chain((records) => fc.tuple(fc.constant(records), fc.shuffledSubarray(records, { minLength: records.length }))),
      ([records, shuffled]) => {
        const ordered = idsOf(records);
        expect(ordered.toSorted()).toEqual(records.map(({ id }) => id as string).toSorted());
        expect(idsOf(shuffled)).toEqual(ordered);
        const place = new Map(ordered.map((id, index) => [id, index]));
        const early = records.filter(({ id, parentId }) => (place.get(parentId ?? "") ?? -1) > (place.get(id) ?? -1));
        expect(early.every((each) => isUnderCircle(each, records))).toBe(true);
      },
    ),
    { numRuns: runsOf(500) },
  );
});

function isUnderCircle(start: NewRecord, records: readonly NewRecord[]): boolean {
  const seen = new Set<string>();
  for (let at: NewRecord | undefined = start; at !== undefined; at = records.find(({ id }) => id === at?.parentId)) {
    if (seen.has(at.id)) return true;
    seen.add(at.id);
  }
  return false;
}

it("orderByLineage orders 200,000 records, chained or unrelated, in good time", () => {
  const [first, times] = [record("c0", null), Array.from({ length: 1_000 }, (_, second) => new Date(second * 1_000))];
  const chain = Array.from({ length: 100_000 }, (_, index) =>
    index === 0 ? first : { ...first, id: `c${index}` as CheckpointId, parentId: `c${index - 1}` as CheckpointId },
  );
  const free = Array.from({ length: 100_000 }, (_, index) => {
    const createdAt = times[(index * 7919) % 1_000] ?? first.createdAt;
    return { ...first, id: `f${index}` as CheckpointId, createdAt };
  });
  expect(orderByLineage([...chain.toReversed(), ...free])).toHaveLength(200_000);
});
