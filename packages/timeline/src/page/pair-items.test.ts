import type { JsonValue } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { pairItems } from "./pair-items.ts";

function pairs(removed: Readonly<Record<number, JsonValue>>, added: Readonly<Record<number, JsonValue>>): readonly (readonly number[])[] {
  const items = (of: Readonly<Record<number, JsonValue>>) => Object.entries(of).map(([place, item]) => ({ place: Number(place), item }));
  return [...pairItems(items(removed), items(added))];
}

describe("the items of two lists", () => {
  it("are the same when most of their words are, wherever they stand", () => {
    const [add, check] = ["Add an idempotency_key column", "Make the worker check the key"];
    const before = { 1: { step: add, status: "doing" }, 2: { step: check, status: "todo" } };
    const after = { 0: { step: check, status: "doing" }, 3: { step: add, status: "done" } };
    expect(pairs(before, after)).toEqual(
      expect.arrayContaining([
        [0, 2],
        [3, 1],
      ]),
    );
    expect(pairs({ 0: "No downtime: the migration is online" }, { 4: "No downtime: the migration is online and reversible" })).toEqual([
      [4, 0],
    ]);
  });

  it("are the same at one place when they have the same members", () => {
    expect(pairs({ 0: { passed: 212, failed: 3 } }, { 0: { failed: 1, passed: 214 } })).toEqual([[0, 0]]);
    expect(pairs({ 0: { passed: 212, failed: 3 } }, { 1: { failed: 1, passed: 214 } })).toEqual([]);
  });

  it("differ when their ids or kinds do, or few of their words are the same", () => {
    expect(pairs({ 0: { id: "a", step: "write it down" } }, { 0: { id: "b", step: "write it down" } })).toEqual([]);
    expect(pairs({ 0: "write it down" }, { 0: ["write it down"] })).toEqual([]);
    expect(pairs({ 0: "test a coupon of 100 percent" }, { 0: "describe coupons in the manual" })).toEqual([]);
  });

  it("pair each old item once, and long lists by place", () => {
    expect(pairs({ 0: "a plan" }, { 0: "a plan", 1: "a plan" })).toEqual([[0, 0]]);
    const many = (status: string) => Object.fromEntries(Array.from({ length: 60 }, (_, place) => [place, { n: place, status }]));
    expect(pairs(many("open"), many("done"))).toEqual(Array.from({ length: 60 }, (_, place) => [place, place]));
  });
});
