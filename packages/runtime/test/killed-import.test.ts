import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundleProgram } from "@workrail/programs";
import { tally } from "@workrail/storage-conformance/harness";
import { describe, expect, it } from "vitest";
import { onDisk } from "./stores.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const CHILD = await bundleProgram(new URL("./imported-then-killed.ts", import.meta.url));
/** `npm run test:faults` sets the variable. */
const KILLS = IS_LONG ? 50 : 2;
const LONGEST_MS = 1_500;
/** Part of every context, and long enough for a delta to pay off. */
const FILLER = randomBytes(3_000).toString("base64");

describe("an import in a killed process", () => {
  it(`causes no findings of verify, during or after a kill (${KILLS} kills)`, () =>
    onDisk(async (place) => {
      const file = path.join(path.dirname(place.dataDir), "export.json");
      {
        await using store = await place.open();
        for (let step = 0; step < 12; step++) await store.saveCheckpoint({ sessionId: "work", context: { filler: FILLER, step } });
        await store.exportSession("work", { file });
      }
      const found: unknown[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        const child = spawn(process.execPath, ["--conditions=@workrail/source", CHILD, place.dataDir, file], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        const closed = once(child, "close");
        await once(child.stdout, "data");
        const killing = sleep(LONGEST_MS * Math.random()).then(() => child.kill("SIGKILL"));
        await using store = await place.open({ upkeep: false });
        const beside = await store.verifyStore();
        await killing;
        await closed;
        const after = await store.verifyStore();
        const findings = [...beside.findings, ...after.findings];
        tally({ tries: 1, wrong: findings.length });
        found.push(...findings);
        for (const { id } of (await store.listSessions({ project: null })).sessions)
          if (id !== "work") await store.erase({ sessionId: id });
      }
      expect(found).toEqual([]);
    }));
});
