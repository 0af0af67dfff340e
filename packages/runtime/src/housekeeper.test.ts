import { openMemoryStorage } from "@workrail/memory";
import { expect, it, vi } from "vitest";
import { wire } from "./container.ts";
import { Housekeeper } from "./housekeeper.ts";
import { readSettings } from "./settings.ts";

it("has one timer, however often it is started, and none after it is stopped", async () => {
  const parts = await wire(readSettings({}, { dataDir: "/nowhere" }), { storage: () => openMemoryStorage() });
  vi.useFakeTimers();
  try {
    const housekeeper = new Housekeeper(parts);
    housekeeper.start();
    housekeeper.start();
    expect(vi.getTimerCount()).toBe(1);
    housekeeper.stop();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
