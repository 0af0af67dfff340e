import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DatabaseClock } from "./database-clock.ts";
import type { Connection } from "./sql-connection.ts";

const NOON = Date.parse("2026-01-01T12:00:00.000Z");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A database whose clock is ahead, and whose answer takes a while. */
function answering(aheadMs: number, tookMs: number): Connection {
  return {
    async run<Row>() {
      vi.setSystemTime(Date.now() + tookMs);
      return [{ at: Date.now() - tookMs / 2 + aheadMs } as Row];
    },
    release: () => undefined,
  };
}

it("follows the time of the database, and advances between answers", async () => {
  const clock = new DatabaseClock();
  expect(clock.now().getTime()).toBe(NOON);
  await clock.set(answering(3_600_000, 20));
  expect(clock.now().getTime()).toBe(NOON + 20 + 3_600_000);
  vi.setSystemTime(NOON + 1_000);
  expect(clock.now().getTime()).toBe(NOON + 1_000 + 3_600_000);
});

it("is not changed when a slow answer explains the difference", async () => {
  const clock = new DatabaseClock();
  await clock.set(answering(40, 100));
  expect(clock.now().getTime()).toBe(NOON + 100);
  await clock.set(answering(60, 100));
  expect(clock.now().getTime()).toBe(NOON + 200 + 60);
});
