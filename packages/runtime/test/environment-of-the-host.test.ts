import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { SETTING_NAMES, SETTINGS, variableOf } from "../src/config/setting-table.ts";
import { openWorkrail } from "../src/open-workrail.ts";

afterEach(() => vi.unstubAllEnvs());

it("does not read variables of the host when a program gives its own environment", async () => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-host-env-"));
  try {
    // Each would change the store's behaviour, or be refused.
    for (const name of SETTING_NAMES) {
      vi.stubEnv(variableOf(name), SETTINGS[name].type.kind === "path" ? path.join(root, "elsewhere") : "not allowed");
    }
    await expect(openWorkrail({ dataDir: path.join(root, "refused") })).rejects.toMatchObject({ code: "INVALID_INPUT" });

    const store = await openWorkrail({ dataDir: path.join(root, "store"), env: {}, settings: { maxCheckpoints: 1, secrets: "off" } });
    await store.saveCheckpoint({ sessionId: "s", context: { step: 1 } });
    await store.saveCheckpoint({ sessionId: "s", context: { step: 2 } });
    expect(await store.listCheckpoints({ sessionId: "s" })).toMatchObject([{ sessionId: "s" }]);
    await store.close();
    expect(fs.readdirSync(root).toSorted()).toEqual(["store"]);
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
});
