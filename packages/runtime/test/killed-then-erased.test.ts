import { cpSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { nodeFileSystem } from "@workrail/sqlite-fs";
import { Faults, tally, withFaults } from "@workrail/storage-conformance/harness";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { SealingSettings } from "../src/sealing/sealing-settings.ts";
import { openedStore, type OpenedStore } from "./opened-store.ts";
import { readSettings } from "../src/settings.ts";
import { filesBelow, NO_WISH, OPENERS, type OpenRaw, WISH } from "./sealed-stores.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

/** Saved under the caller's own id: such a file is named by a link. */
const MINE = {
  sessionId: "s",
  checkpointId: "c0ffee00-0000-4000-8000-000000000001",
  context: { step: "mine", is: ["exactly", 0.1, 1e21] },
};

let parent: string;
let dataDir: string;

beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), "workrail-killed-"));
  dataDir = path.join(parent, "data");
});

afterEach(() => rm(parent, { recursive: true, force: true }));

const STORES: readonly (readonly [string, OpenRaw, SealingSettings])[] = [
  ["files, sealed,", OPENERS.files, WISH],
  // The files are the same with SQLite, where the test is slower.
  ...(IS_LONG ? ([["SQLite, in clear,", OPENERS["sqlite-fs"], NO_WISH]] as const) : []),
];

it.each(STORES)(
  "a process on %s that ends at any file operation of a session's first save costs nothing that is saved, whatever is erased after it",
  async (_name, openRaw, sealing) => {
    await (await opened(openRaw, sealing)).close();
    const template = path.join(parent, "template");
    cpSync(dataDir, template, { recursive: true });
    let at = 1;
    for (; await diesAt(openRaw, sealing, at); at++) {
      await proveAfter(openRaw, sealing);
      tally({ tries: 1 });
      rmSync(dataDir, { recursive: true });
      cpSync(template, dataDir, { recursive: true });
    }
    expect(at).toBeGreaterThan(8);
  },
);

/** @returns whether the operation was reached. */
async function diesAt(openRaw: OpenRaw, sealing: SealingSettings, at: number): Promise<boolean> {
  const faults = new Faults();
  const store = await opened(openRaw, sealing, faults);
  faults.arm({ kind: "crashes", at, persistent: true, code: "EIO" });
  await store.saveCheckpoint(MINE).catch(() => {});
  const { struck } = faults;
  await store.close().catch(() => {});
  // Makes the leftover files look like those of a dead process.
  for (const file of filesBelow(dataDir).filter((each) => path.basename(each).startsWith(".tmp-"))) {
    renameSync(file, file.replace(`-${process.pid}-`, "-4194999-"));
  }
  return struck;
}

async function proveAfter(openRaw: OpenRaw, sealing: SealingSettings): Promise<void> {
  const store = await opened(openRaw, sealing);
  await store.saveCheckpoint(MINE);
  const other = await store.saveCheckpoint({ sessionId: "s", context: { step: "other" } });
  await store.deleteCheckpoint({ checkpointId: other.checkpointId });
  expect((await store.loadCheckpoint({ checkpointId: MINE.checkpointId })).context).toEqual(MINE.context);
  await store.close();
  const again = await opened(openRaw, sealing);
  expect((await again.loadCheckpoint({ sessionId: "s" })).context).toEqual(MINE.context);
  expect((await again.verifyStore()).findings).toEqual([]);
  await again.close();
  const session = path.join(dataDir, "contexts", "s");
  const keys = readdirSync(session).filter((name) => name.startsWith("session.key"));
  expect(keys).toHaveLength(sealing === WISH ? 2 : 0);
  expect(new Set(keys.map((name) => readFileSync(path.join(session, name), "hex"))).size).toBe(sealing === WISH ? 1 : 0);
}

function opened(openRaw: OpenRaw, sealing: SealingSettings, faults?: Faults): Promise<OpenedStore> {
  const files = faults === undefined ? nodeFileSystem : withFaults(nodeFileSystem, faults, { throws: true });
  const settings = { ...readSettings({}, { dataDir }), sealing };
  return openedStore({ settings, adapters: { storage: () => openRaw(dataDir, files, faults) }, project: "/work/project" });
}
