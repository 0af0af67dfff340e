import { renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ServerProcess, TestHome } from "./testing/server-process.ts";
import { IS_LONG } from "../../../packages/storage-conformance/test/long-form.ts";

const WRONG_CLOCK = fileURLToPath(new URL("testing/wrong-clock.ts", import.meta.url));
const DAY_MS = 24 * 60 * 60 * 1_000;
const PATIENCE_MS = 120_000;

describe("a server with a wrong clock", () => {
  let home: TestHome;
  let store: Workrail;

  beforeEach(async () => {
    home = await TestHome.create();
    store = await openWorkrail({ dataDir: home.dataDir, project: home.project, env: {} });
    for (const sessionId of ["work", "more-work", "gone"]) await store.saveCheckpoint({ sessionId, context: { goal: sessionId } });
    await store.cleanUp({ sessionId: "gone" });
  });

  afterEach(async () => {
    await store.close();
    await home[Symbol.asyncDispose]();
  });

  function setClock(days: number): void {
    const file = path.join(home.directory, "clock");
    // Replaced atomically, because the server may read it at any time.
    writeFileSync(`${file}.new`, String(days * DAY_MS));
    renameSync(`${file}.new`, file);
  }

  function start(): Promise<ServerProcess> {
    const env = { WRONG_CLOCK_FILE: path.join(home.directory, "clock") };
    return ServerProcess.start({ home, env, nodeOptions: ["--import", pathToFileURL(WRONG_CLOCK).href] });
  }

  async function cleanUps(): Promise<readonly number[]> {
    const { entries } = await store.auditLog({ actions: ["clean-up"], limit: 1_000 });
    return entries.map(({ at }) => Math.round((new Date(at).getTime() - Date.now()) / DAY_MS) + 0);
  }

  /** Waits for a number of further clean-ups. */
  async function cleanedUp(times: number): Promise<void> {
    const before = (await cleanUps()).length;
    await vi.waitFor(async () => expect((await cleanUps()).length).toBeGreaterThanOrEqual(before + times), {
      timeout: PATIENCE_MS,
      interval: 100,
    });
  }

  async function kept(): Promise<{ readonly live: readonly string[]; readonly trash: readonly string[] }> {
    const { sessions } = await store.listSessions({});
    const trash = await store.listTrash({});
    return { live: sessions.map(({ id }) => id).sort(), trash: trash.map(({ sessionId }) => sessionId) };
  }

  it("by a year in either direction, and then right again, removes nothing by age", { timeout: 3 * PATIENCE_MS }, async () => {
    const expected = { live: ["more-work", "work"], trash: ["gone"] };
    expect(await kept()).toEqual(expected);
    for (const offset of IS_LONG ? [0, 365, 0, -365, 0] : [365, -365, 0]) {
      setClock(offset);
      await using server = await start();
      await server.ok("workflow_checkpoint_load", { sessionId: "work" });
      await cleanedUp(3);
      expect((await cleanUps())[0]).toBe(offset);
      expect(await kept()).toEqual(expected);
    }
  });

  it("while it runs, and then right again, removes nothing by age", { timeout: 3 * PATIENCE_MS }, async () => {
    const expected = { live: ["more-work", "work"], trash: ["gone"] };
    setClock(0);
    await using server = await start();
    await server.ok("workflow_checkpoint_save", { sessionId: "work", context: { goal: "go on" } });
    for (const offset of [0, 365, 0, 365]) {
      setClock(offset);
      await cleanedUp(3);
      expect(await kept()).toEqual(expected);
    }
  });

  it("moves on by a day at a time removes expired checkpoints", { timeout: 3 * PATIENCE_MS }, async () => {
    setClock(0);
    await using server = await start();
    await server.ok("workflow_checkpoint_load", { sessionId: "work" });
    for (let day = 0; day <= 45; day += 5) {
      setClock(day);
      await cleanedUp(1);
    }
    const { live, trash } = await kept();
    // The server works in one session; the other was unused for 30 days, and the trash was there for 7.
    expect(live).toEqual(["work"]);
    expect(trash).not.toContain("gone");
  });
});
