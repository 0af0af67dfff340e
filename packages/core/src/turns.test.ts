import { expect, it } from "vitest";
import { atOnce, inTurns, type Steps } from "./turns.ts";

/** Works for so many milliseconds at most, a little at a time. */
function* busy(forMs: number, isEnough: () => boolean = () => false): Steps<string> {
  for (const end = performance.now() + forMs; performance.now() < end && !isEnough();) yield;
  return "done";
}

it("lets other work have its turn while it goes on", async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  expect(await inTurns(busy(5_000, () => turns > 1))).toBe("done");
  clearInterval(timer);
  expect(turns).toBeGreaterThan(1);
});

it("does what is short in one go", async () => {
  let isLater = false;
  setTimeout(() => (isLater = true), 0);
  expect(await inTurns(busy(0))).toBe("done");
  expect(isLater).toBe(false);
  expect(atOnce(busy(1))).toBe("done");
});

it("passes on what goes wrong", async () => {
  const failing = function* (): Steps<never> {
    yield;
    throw new Error("no");
  };
  await expect(inTurns(failing())).rejects.toThrow("no");
  expect(() => atOnce(failing())).toThrow("no");
});
