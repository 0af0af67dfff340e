import { describe, expect, it } from "vitest";
import { formatAge } from "./format-age.ts";
import { formatBytes } from "./format-bytes.ts";

describe("formatBytes", () => {
  it.each([
    [0, "0 B"],
    [1_023, "1023 B"],
    [1_024, "1.0 KiB"],
    [10_188, "9.9 KiB"],
    [10_189, "10 KiB"],
    [1_048_063, "1023 KiB"],
    [1_048_064, "1.0 MiB"],
    [34 * 1_024 ** 2, "34 MiB"],
    [10 * 1_024 ** 3, "10 GiB"],
    [5_000 * 1_024 ** 3, "5000 GiB"],
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
