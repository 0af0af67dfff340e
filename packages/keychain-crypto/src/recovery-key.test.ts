import * as fc from "fast-check";
import { expect, it } from "vitest";
import { keyFromRecovery, recoveryText } from "./recovery-key.ts";

const KEYS = fc.uint8Array({ minLength: 32, maxLength: 32 });

it("is recognised in every way of typing it", () =>
  fc.assert(
    fc.asyncProperty(KEYS, async (key) => {
      const text = recoveryText(key);
      expect(text).toMatch(/^([0-9A-HJKMNP-TV-Z]{7}-){7}[0-9A-HJKMNP-TV-Z]{7}$/);
      for (const typed of [
        text,
        text.toLowerCase().replaceAll("-", " "),
        text.replaceAll("-", "").replaceAll("0", "o").replaceAll("1", "l"),
      ]) {
        expect(await keyFromRecovery(typed).find({})).toEqual(key);
      }
    }),
    { numRuns: 50 },
  ));

it("is rejected with any wrong or missing letter", () =>
  fc.assert(
    fc.asyncProperty(KEYS, fc.nat(54), async (key, at) => {
      const digits = recoveryText(key).replaceAll("-", "");
      const other = digits[at] === "7" ? "8" : "7";
      for (const typed of [digits.slice(0, at) + other + digits.slice(at + 1), digits.slice(0, at) + digits.slice(at + 1), `${digits}7`]) {
        await expect(keyFromRecovery(typed).find({})).rejects.toMatchObject({ code: "KEY_UNAVAILABLE" });
      }
    }),
    { numRuns: 50 },
  ));
