import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkrail } from "@workrail/runtime";
import { expect, it } from "vitest";
import { saveSession } from "./saved-session.ts";

it("a saved page has each checkpoint, also one whose id is a property of every object", async () => {
  const folder = mkdtempSync(join(tmpdir(), "workrail-saved-"));
  try {
    await using store = await openWorkrail({ dataDir: folder, project: null, env: {} });
    for (const checkpointId of ["__proto__", "constructor"]) {
      await store.saveCheckpoint({ sessionId: "s", checkpointId, context: { goal: checkpointId } });
    }
    const ports = { store, project: undefined, mayWrite: false, now: () => new Date() };
    const { checkpoints } = await saveSession(ports, "s", 1_000_000);
    expect(Object.keys(checkpoints)).toEqual(["constructor", "__proto__"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
