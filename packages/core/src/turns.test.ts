import { expect, it } from "vitest";
import { atOnce, inTurns, type Steps } from "./turns.ts";

/** Works in small steps for at most this many milliseconds. */
function* busy(forMs: number, isEnough: () => boolean = () => false): Steps<string> {
  for (const end = performance.now() + forMs; performance.now() < end && !isEnough();) yield;
  return "done";
}

it("inTurns yields to other work while it runs", async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  expect(await inTurns(busy(5_000, () => turns > 1))).toBe("done");
  clearInterval(timer);
  expect(turns).toBeGreaterThan(1);
});

it("inTurns does short work at once", async () => {
  let isLater = false;
  setTimeout(() => (isLater = true), 0);
  expect(await inTurns(busy(0))).toBe("done");
  expect(isLater).toBe(false);
  expect(atOnce(busy(1))).toBe("done");
});

it("inTurns rejects with the error of the work", async () => {
  const failing = function* (): Steps<never> {
    yield;
    throw new Error("no");
  };
  await expect(inTurns(failing())).rejects.toThrow("no");
  expect(() => atOnce(failing())).toThrow("no");
});
