import fs from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { kvStorage } from "@workrail/kv-storage";
import { openWorkrail } from "@workrail/runtime";
import { expect, it } from "vitest";
import { fileKeyValues } from "./file-key-values.ts";

it("has fewer than 40 lines", async () => {
  const text = await fs.readFile(new URL("file-key-values.ts", import.meta.url), "utf8");
  expect(text.trimEnd().split("\n").length).toBeLessThan(40);
});

it("stores the work of two programs at a time", async () => {
  const folder = await fs.mkdtemp(path.join(tmpdir(), "key-value-storage-"));
  const open = () =>
    openWorkrail({
      dataDir: path.join(folder, "data"),
      env: {},
      project: null,
      adapters: { storage: () => kvStorage(fileKeyValues(path.join(folder, "store"))) },
    });
  const [one, other] = [await open(), await open()];
  await one.saveCheckpoint({ sessionId: "notes", context: { step: 1 } });
  await other.saveCheckpoint({ sessionId: "notes", context: { step: 2 } });
  await one.close();
  await other.close();
  const again = await open();
  expect((await again.loadCheckpoint({ sessionId: "notes" })).context).toEqual({ step: 2 });
  expect(await again.listCheckpoints({ sessionId: "notes" })).toHaveLength(2);
  await again.close();
  await fs.rm(folder, { recursive: true });
});
