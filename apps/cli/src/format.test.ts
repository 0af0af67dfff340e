import { describe, expect, it } from "vitest";
import { formatAge } from "./format-age.ts";
import { formatBytes } from "./format-bytes.ts";

describe("formatBytes", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_000, "1.0 kB"],
    [9_949, "9.9 kB"],
    [9_950, "10 kB"],
    [999_499, "999 kB"],
    [999_500, "1.0 MB"],
    [34_000_000, "34 MB"],
    [5_000_000_000_000, "5000 GB"],
  ])("%i is %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe("formatAge", () => {
  const DAY = 86_400;
  it.each([
    [-5, "0s"],
    [59, "59s"],
    [60, "1m"],
    [3_599, "59m"],
    [3_600, "1h"],
    [DAY, "1d"],
    [7 * DAY - 1, "6d"],
    [7 * DAY, "1w"],
    [364 * DAY, "52w"],
    [730 * DAY, "2y"],
  ])("%i seconds ago is %s", (seconds, text) => {
    const now = new Date("2026-01-31T12:00:00Z");
    expect(formatAge(new Date(now.getTime() - seconds * 1_000), now)).toBe(text);
  });
});
