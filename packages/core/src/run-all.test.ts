import { expect, it } from "vitest";
import { runAll } from "./run-all.ts";

it("runs every step in its order, whatever the others do, and throws what the first that failed did", async () => {
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
