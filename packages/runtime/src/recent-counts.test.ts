import { expect, it } from "vitest";
import { RecentCounts } from "./recent-counts.ts";

/** Far more texts than the cache can hold. */
const TEXTS = Array.from({ length: 400_000 }, (_, number) => `text ${number}`);

it("stores and finds counts in the same time when the cache is full", () => {
  const counts = new RecentCounts();
  counts.set("used again and again", 5);
  const from = performance.now();
  for (const text of TEXTS) {
    counts.set(text, 1);
    counts.get("used again and again");
  }
  expect(performance.now() - from).toBeLessThan(4_000);
});

it("keeps the texts that were used last", () => {
  const counts = new RecentCounts();
  counts.set("unused", 1);
  counts.set("used", 1);
  for (const text of TEXTS) {
    counts.set(text, 2);
    counts.get("used");
  }
  expect(["unused", "used", ...TEXTS.slice(-10_000)].map((text) => counts.get(text))).toEqual([undefined, 1, ...Array(10_000).fill(2)]);
});
