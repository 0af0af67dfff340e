import { expect, it } from "vitest";
import { relevanceOf } from "./relevance.ts";

const TEXTS = [
  "The weather was fine.",
  "We booked the hotels in Oslo.",
  "They cost 900 in all.",
  "Nothing else was said.",
  "Booking a train to Rome.",
];

it("relevanceOf is highest where words of the focus occur in any form, and raised next to it", () => {
  const [weather, oslo, cost, nothing, rome] = relevanceOf("Which hotel did we book in Oslo?", TEXTS);
  expect(oslo).toBe(1);
  expect(rome).toBeLessThan(1);
  expect(cost).toBeGreaterThan(0);
  expect(weather).toBe(cost);
  expect(nothing).toBeLessThan(rome ?? 0);
});

it("relevanceOf is equal for all texts when none matches", () => {
  expect(relevanceOf("xylophone", TEXTS)).toEqual([1, 1, 1, 1, 1]);
});
