import { type SessionId, storeStatus } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { aStore } from "./testing/a-store.ts";

const limits = { maxSessionBytes: 10_000, maxTotalBytes: 100_000 };

describe("storeStatus", () => {
  it("names the ten largest sessions, the largest first, with their shares", async () => {
    const store = aStore();
    for (let number = 1; number <= 12; number++) {
      const sessionId = `s${number}` as SessionId;
      for (let n = 0; n < (number % 4) + 1; n++) await store.saved({ n, number }, { sessionId });
    }
    const { largestSessions, quota, sessions, warnings } = await storeStatus({ storage: store.storage, limits });
    expect({ sessions, largest: largestSessions.length, warnings }).toEqual({ sessions: 12, largest: 10, warnings: [] });
    const bytes = largestSessions.map(({ usedBytes }) => usedBytes);
    expect(bytes).toEqual(bytes.toSorted((a, b) => b - a));
    expect(largestSessions.slice(0, 3).map(({ checkpoints }) => checkpoints)).toEqual([4, 4, 4]);
    const [{ usedBytes, share } = { usedBytes: 0, share: 0 }] = largestSessions;
    expect(share).toBeCloseTo(usedBytes / limits.maxSessionBytes, 3);
    expect(quota.share).toBeCloseTo(quota.usedBytes / limits.maxTotalBytes, 3);
  });
});
