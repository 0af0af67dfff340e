import { expect, it } from "vitest";
import type { Log, LogFields } from "../../ports/environment.ts";
import { BackgroundQueue } from "./background-queue.ts";

function recorder(): { log: Log; lines: [string, LogFields | undefined][] } {
  const lines: [string, LogFields | undefined][] = [];
  const write = (message: string, fields?: LogFields): void => void lines.push([message, fields]);
  return { log: { debug: write, info: write, warn: write, error: write }, lines };
}

it("runs pieces of work one after another, after the call that queued them", async () => {
  const queue = new BackgroundQueue(recorder().log);
  const steps: string[] = [];
  for (const name of ["one", "two"]) {
    queue.run(name, async () => {
      steps.push(`${name} begins`);
      await Promise.resolve();
      steps.push(`${name} ends`);
    });
  }
  expect(steps).toEqual([]);
  await queue.idle();
  expect(steps).toEqual(["one begins", "one ends", "two begins", "two ends"]);
});

it("logs a failure under its name and continues", async () => {
  const { log, lines } = recorder();
  const queue = new BackgroundQueue(log);
  const error = new Error("disk gone");
  let isRun = false;
  queue.run("reclaim blobs", async () => {
    throw error;
  });
  queue.run("next", async () => {
    isRun = true;
  });
  await queue.idle();
  expect(lines).toEqual([["background work failed: reclaim blobs", { error }]]);
  expect(isRun).toBe(true);
});

it("is idle at once when there is nothing to do", async () => {
  await expect(new BackgroundQueue(recorder().log).idle()).resolves.toBeUndefined();
});
