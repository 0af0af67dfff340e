import { expect, it } from "vitest";
import { runAll, runFinally } from "./run-all.ts";

it("runAll runs every step in order despite failures, and throws the first error", async () => {
  const done: number[] = [];
  const fail = (number: number): never => {
    done.push(number);
    throw new Error(`${number} failed`);
  };
  const steps = [() => done.push(1), async () => fail(2), () => fail(3), async () => done.push(4)];
  await expect(runAll(steps)).rejects.toThrow("2 failed");
  expect(done).toEqual([1, 2, 3, 4]);
  await runAll([() => done.push(5)]);
  expect(done).toHaveLength(5);
});

it("runFinally runs the end even after failed work, and throws the error of the work", async () => {
  let ends = 0;
  const end = (): never => {
    ends += 1;
    throw new Error("the end failed");
  };
  await expect(runFinally(async () => Promise.reject(new Error("the work failed")), end)).rejects.toThrow("the work failed");
  await expect(runFinally(async () => "done", end)).rejects.toThrow("the end failed");
  expect(
    await runFinally(
      async () => "done",
      async () => (ends += 1),
    ),
  ).toBe("done");
  expect(ends).toBe(3);
});
