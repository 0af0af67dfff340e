import { expect, it } from "vitest";
import { onDisk } from "./stores.ts";

it.each(["verifyStore", "repairStore"] as const)("%s is aborted by an event from outside, such as Ctrl-C, while it reads", (method) =>
  onDisk(async (place) => {
    await using store = await place.open();
    // Large enough to be read for several of the moments in which other work gets its turn.
    const texts = Array.from({ length: 2_000 }, (_, at) => `text ${at}`);
    for (let step = 0; step < 200; step++) await store.saveCheckpoint({ sessionId: "s", context: { step, texts } });
    const signal = { aborted: false };
    const end = (): void => void setImmediate(() => (signal.aborted = true));
    const report = await store[method]({ signal, onProgress: ({ done }) => done === 1 && end() });
    expect(report.isComplete).toBe(false);
    expect(report.checkpoints).toBeGreaterThan(0);
    expect(report.checkpoints).toBeLessThan(200);
  }),
);
