import { openMemoryStorage } from "@workrail/memory";
import { expect, it, vi } from "vitest";
import { wire } from "./container.ts";
import { Housekeeper } from "./housekeeper.ts";
import { readSettings } from "./settings.ts";

it("looks once a day, however often it was asked to begin, and not any more when it was stopped", async () => {
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
