import { type Answers, type CatalogPort, cleanUp, commit, type SessionId, type UpkeepPolicy } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { aStore } from "../../../memory/src/testing/a-store.ts";
import { storeStatus } from "./store-status.ts";

const limits = { maxSessionBytes: 10_000, maxTotalBytes: 100_000 };

describe("storeStatus", () => {
  it("names the ten largest sessions in descending order, with their shares", async () => {
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

  it("warns of a catalog that was damaged and repaired", async () => {
    const { storage } = aStore();
    const mended: CatalogPort = {
      change: (rule) => storage.catalog.change(rule),
      async read(reads) {
        const facts = await storage.catalog.read(reads);
        return "totals" in facts ? { ...facts, totals: { ...(facts["totals"] as Answers["totals"]), mendings: 1 } } : facts;
      },
    };
    const { warnings } = await storeStatus({ storage: { ...storage, catalog: mended }, limits });
    expect(warnings).toEqual([expect.stringContaining("was damaged and repaired: 1.")]);
  });

  it("reports the last clean-up and backup from the audit log, and the content of the quarantine", async () => {
    const store = aStore();
    const status = () => storeStatus({ storage: store.storage, limits });
    expect(await status()).toMatchObject({
      lastCleanUp: undefined,
      lastBackupAt: undefined,
      quarantine: { files: 0, bytes: 0, places: [] },
    });
    for (const sessionId of ["a", "b"] as SessionId[]) await store.saved({ sessionId }, { sessionId });
    const day = 86_400_000;
    const policy: UpkeepPolicy = { retentionMs: day, asideMs: 1, trashMs: day, trashBytes: 1e6, quota: { above: 1e6, downTo: 1e6 } };
    store.clock.set(new Date("2026-02-01T00:00:00.000Z"));
    await cleanUp(store.ports, policy);
    expect((await status()).lastCleanUp).toEqual({
      at: new Date("2026-02-01T00:00:00.000Z"),
      trashed: 2,
      removed: 0,
      sessions: 2,
      reasons: ["retention"],
    });
    store.clock.set(new Date("2026-02-03T00:00:00.000Z"));
    await cleanUp(store.ports, policy, { dryRun: true });
    await cleanUp(store.ports, policy);
    const { lastCleanUp } = await status();
    expect(lastCleanUp).toMatchObject({ at: new Date("2026-02-03T00:00:01.000Z"), trashed: 0, removed: 2, sessions: 2 });
    expect(lastCleanUp?.reasons.toSorted()).toEqual(["empty", "trash-age"]);
    const at = new Date("2026-02-04T00:00:00.000Z");
    const backup = { at, action: "backup", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
    await store.storage.catalog.change(commit({ audit: [backup] }));
    for (let n = 10; n < 35; n++) store.disk.quarantine.set(`quarantine/${n}`, new Uint8Array(2));
    const { lastBackupAt, quarantine } = await status();
    expect([lastBackupAt, quarantine.files, quarantine.bytes, quarantine.places.length]).toEqual([at, 25, 50, 20]);
    expect(quarantine.places[0]).toBe("quarantine/10");
  });
});
