import { expect, it } from "vitest";
import { relevanceOf } from "./relevance.ts";

const TEXTS = [
  "The weather was fine.",
  "We booked the hotels in Oslo.",
  "They cost 900 in all.",
  "Nothing else was said.",
  "Booking a train to Rome.",
];

it("is highest where the words of the focus are, in whatever form, and some beside it", () => {
  const [weather, oslo, cost, nothing, rome] = relevanceOf("Which hotel did we book in Oslo?", TEXTS);
  expect(oslo).toBe(1);
  expect(rome).toBeLessThan(1);
  expect(cost).toBeGreaterThan(0);
  expect(weather).toBe(cost);
  expect(nothing).toBeLessThan(rome ?? 0);
});

it("is the same for all when nothing answers the focus", () => {
  expect(relevanceOf("xylophone", TEXTS)).toEqual([1, 1, 1, 1, 1]);
});
