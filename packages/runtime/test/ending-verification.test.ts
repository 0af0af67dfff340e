import { expect, it } from "vitest";
import { onDisk } from "./stores.ts";

it("verifyStore and repairStore are aborted by an event from outside, such as Ctrl-C, while they read", () =>
  onDisk(async (place) => {
    await using store = await place.open();
    // Large enough to be read for several of the moments in which other work gets its turn.
    const texts = Array.from({ length: 2_000 }, (_, at) => `text ${at}`);
    for (let step = 0; step < 200; step++) await store.saveCheckpoint({ sessionId: "s", context: { step, texts } });
    for (const method of ["verifyStore", "repairStore"] as const) {
      const signal = { aborted: false };
      const end = (): void => void setImmediate(() => (signal.aborted = true));
      const report = await store[method]({ signal, onProgress: ({ done }) => done === 1 && end() });
      expect(report.isComplete, method).toBe(false);
      expect(report.checkpoints, method).toBeGreaterThan(0);
      expect(report.checkpoints, method).toBeLessThan(200);
    }
  }));
