import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWorkrail } from "../src/index.ts";

describe("a peek", () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "workrail-peek-"));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it("shows the answer that an agent would get, and issues no handles", async () => {
    const context = { goal: "ship", log: "a line that is long enough to be left out\n".repeat(200) };
    await using store = await openWorkrail({ dataDir, env: {} });
    await store.saveCheckpoint({ sessionId: "shop", checkpointId: "first", context });
    const how = { checkpointId: "first", budgetTokens: 400 };
    const looks = [
      ["viewCheckpoint", await store.viewCheckpoint({ ...how, isPeek: true })],
      ["resumeWork as a view", await store.resumeWork({ ...how, depth: "view", isPeek: true })],
      ["resumeWork as a summary", await store.resumeWork({ ...how, depth: "summary", isPeek: true })],
      ["handoff", await store.handoff({ ...how, isPeek: true })],
      ["prioritizeContext", await store.prioritizeContext({ ...how, dryRun: true, isPeek: true })],
    ] as const;
    for (const [name, answer] of looks) expect(answer, name).not.toHaveProperty("validUntil");
    expect(await store.resumeWork({ ...how, depth: "view" })).toHaveProperty("validUntil");
  });

  it("writes no audit row and no access time", async () => {
    const opened = await openWorkrail({ dataDir, env: {} });
    await opened.saveCheckpoint({ sessionId: "shop", checkpointId: "first", context: { goal: "ship" } });
    const before = await opened.traceSession({ sessionId: "shop" });
    for (const depth of ["view", "summary", "full"] as const) await opened.resumeWork({ checkpointId: "first", depth, isPeek: true });
    await opened.handoff({ checkpointId: "first", isPeek: true });
    await opened.prioritizeContext({ checkpointId: "first", dryRun: true, isPeek: true });
    await opened.close();
    await using store = await openWorkrail({ dataDir, env: {} });
    expect((await store.auditLog()).entries.map(({ action }) => action)).toEqual(["save"]);
    expect(await store.traceSession({ sessionId: "shop" })).toEqual(before);
  });
});
