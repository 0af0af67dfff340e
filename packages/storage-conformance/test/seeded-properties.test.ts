import { readConfigureGlobal } from "fast-check";
import { expect, it } from "vitest";
import { completeOptions } from "../src/options.ts";

it("what properties are tried with is drawn from the seed that failing tests are repeated with", () => {
  expect(readConfigureGlobal().seed).toBe(completeOptions().seed);
});
