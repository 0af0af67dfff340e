import { afterEach, expect, it, vi } from "vitest";
import { completeOptions } from "./options.ts";

afterEach(() => vi.unstubAllEnvs());

it("has defaults for everything", () => {
  expect(completeOptions()).toEqual({ runs: 1_000, kills: 10, operations: 500, seed: 1, stride: 1 });
});

it("takes the variable before the option", () => {
  vi.stubEnv("WORKRAIL_CONFORMANCE_RUNS", "7");
  expect(completeOptions({ runs: 50, kills: 3, operations: 9, seed: 1, stride: 4 })).toEqual({
    runs: 7,
    kills: 3,
    operations: 9,
    seed: 1,
    stride: 4,
  });
});

it("refuses what is no number", () => {
  vi.stubEnv("WORKRAIL_CONFORMANCE_SEED", "many");
  expect(() => completeOptions()).toThrow("WORKRAIL_CONFORMANCE_SEED must be a whole number");
});
