import { expect, it } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

it.each([
  ["120", 120_000],
  ["Sun, 01 Mar 2026 12:00:30 GMT", 30_000],
  ["Sun, 01 Mar 2026 11:59:00 GMT", undefined],
  ["0", undefined],
  ["soon", undefined],
  [null, undefined],
])("reads the Retry-After %j as %j ms", (header, ms) => {
  expect(retryAfterMs(header, NOW)).toBe(ms);
});
