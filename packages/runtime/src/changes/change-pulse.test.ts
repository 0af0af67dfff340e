import type { ListPorts } from "@workrail/core";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ChangePulse } from "./change-pulse.ts";

/** Ports whose catalog has one audit row, and the number of reads of it. */
function countedPorts(): { readonly ports: ListPorts; readonly count: { reads: number; row: number } } {
  const count = { reads: 0, row: 1 };
  const ports = {
    catalog: {
      read: async () => {
        count.reads += 1;
        return { rows: [{ number: count.row, at: new Date(0) }] };
      },
    },
    locking: { shared: (work: () => Promise<unknown>) => work() },
  };
  return { ports: ports as unknown as ListPorts, count };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("reads once for all waiters, and not at all without waiters", async () => {
  const { ports, count } = countedPorts();
  const pulse = new ChangePulse(ports, async () => {});
  await vi.advanceTimersByTimeAsync(5_000);
  expect(count.reads).toBe(0);
  const position = await pulse.current();
  const end = new AbortController();
  const waits = [pulse.wait(position, undefined), pulse.wait(position, undefined), pulse.wait(position, end.signal)];
  count.reads = 0;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(count.reads).toBe(10);
  end.abort();
  await waits[2];
  count.row = 2;
  await vi.advanceTimersByTimeAsync(500);
  await Promise.all(waits);
  count.reads = 0;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(count.reads).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

it("wakes at once those that wait when it is stopped", async () => {
  const { ports } = countedPorts();
  const pulse = new ChangePulse(ports, async () => {});
  const wait = pulse.wait(await pulse.current(), undefined);
  pulse.stop();
  await wait;
  await pulse.wait(await pulse.current(), undefined);
  expect(vi.getTimerCount()).toBe(0);
});
