import { afterEach, expect, it, vi } from "vitest";
import { completeOptions } from "./options.ts";

afterEach(() => vi.unstubAllEnvs());

it("has defaults for everything", () => {
  expect(completeOptions()).toEqual({ runs: 1_000, kills: 10, savers: 8, operations: 500, seed: 1, faults: true });
});

it("prefers the variable to the option", () => {
  vi.stubEnv("WORKRAIL_CONFORMANCE_RUNS", "7");
  expect(completeOptions({ runs: 50, kills: 3, savers: 2, operations: 9, seed: 1, faults: false })).toEqual({
    runs: 7,
    kills: 3,
    savers: 2,
    operations: 9,
    seed: 1,
    faults: false,
  });
});

it("turns faults on and off by 1 and 0", () => {
  vi.stubEnv("WORKRAIL_CONFORMANCE_FAULTS", "1");
  expect(completeOptions({ faults: false }).faults).toBe(true);
  vi.stubEnv("WORKRAIL_CONFORMANCE_FAULTS", "0");
  expect(completeOptions().faults).toBe(false);
});

it("refuses a value that is not a number", () => {
  vi.stubEnv("WORKRAIL_CONFORMANCE_SEED", "many");
  expect(() => completeOptions()).toThrow("WORKRAIL_CONFORMANCE_SEED must be a whole number");
});
