import { describe, expect, it } from "vitest";
import { quantile, summarize } from "./statistics.ts";

const oneToHundred = Array.from({ length: 100 }, (_, index) => index + 1);

describe("summarize", () => {
  it("reports measured values in any order", () => {
    expect(summarize(oneToHundred.toReversed())).toEqual({ count: 100, median: 50, p95: 95, p99: 99, max: 100, mean: 50.5 });
  });

  it("reports a single value as every quantile", () => {
    expect(summarize([7])).toEqual({ count: 1, median: 7, p95: 7, p99: 7, max: 7, mean: 7 });
  });

  it("does not change the measurements", () => {
    const values = [3, 1, 2];
    summarize(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it("shows one slow call among many in the maximum only", () => {
    const { median, p99, max } = summarize([...Array.from({ length: 999 }, () => 1), 500]);
    expect([median, p99, max]).toEqual([1, 1, 500]);
  });
});

describe("quantile", () => {
  it("has no value without measurements", () => {
    expect(quantile([], 0.5)).toBeNaN();
  });
});
