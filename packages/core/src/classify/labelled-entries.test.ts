import { expect, it } from "vitest";
import { LAYERS } from "../model/layer.ts";
import { classifyEntry } from "./classify-context.ts";
import { LABELLED_ENTRIES } from "./testing/labelled-entries.ts";

const told = LAYERS.flatMap((layer) =>
  LABELLED_ENTRIES[layer].map(([key, value]) => ({ key, layer, told: classifyEntry(key, value, { pins: [] }) })),
);

it("agrees with people on more than 95 of 100 entries, in each layer and in all", () => {
  for (const layer of LAYERS) {
    const these = told.filter((each) => each.layer === layer);
    const wrong = these.filter((each) => each.told.layer !== layer).map((each) => `${each.key}: ${each.told.layer}, ${each.told.why}`);
    expect(1 - wrong.length / these.length, wrong.join("\n")).toBeGreaterThan(0.95);
  }
  expect(told.length).toBeGreaterThanOrEqual(250);
});

it("takes nothing that people call critical for fleeting", () => {
  expect(told.filter((each) => each.layer === "CRITICAL" && each.told.layer === "EPHEMERAL")).toEqual([]);
});
