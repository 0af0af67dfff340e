import fs from "node:fs";
import path from "node:path";
import { bundleProgram } from "@workrail/programs";
import { openMemoryStorage } from "@workrail/memory";
import { tally } from "@workrail/storage-conformance/harness";
import { copyStore as copyStorage } from "@workrail/transfer";
import { describe, expect, it } from "vitest";
import { copyStore } from "../src/copy-store.ts";
import { beside, comparable, contextsAt, fill, FILLER, killAfter, rowsAt, rowsOf } from "./copied-stores.ts";
import { OPENERS, WISH } from "./sealed-stores.ts";
import { onDisk, refusalOf } from "./stores.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const CHILD = await bundleProgram(new URL("./copied-then-killed.ts", import.meta.url));
/** `npm run test:faults` sets the variable. */
const KILLS = IS_LONG ? 20 : 2;
describe("copyStore", () => {
  it("copies a store exactly, with its trash, pins, tags and audit log", () =>
    onDisk(async (place) => {
      await fill(place);
      const to = beside(place, "copy");
      const before = await rowsAt(place.dataDir);
      const report = await copyStore({ from: place.dataDir, to, env: {} });
      expect(report).toMatchObject({ from: place.dataDir, to, checkpoints: 11, trashed: 1, sessions: 2, missing: [], isComplete: true });
      expect(report.auditRows).toBe(before.audit.length);
      expect(comparable(await rowsAt(to))).toEqual(comparable(before));
      expect(comparable(await rowsAt(place.dataDir))).toEqual(comparable(before));
      expect(await contextsAt(place, to)).toEqual(await contextsAt(place, place.dataDir));
      await using copied = await place.open({ dataDir: to });
      expect((await copied.verifyStore()).findings).toEqual([]);
      expect(await copied.verifyAuditLog()).toMatchObject({ findings: [], isComplete: true });
      expect((await copied.searchCheckpoints({ query: "step", project: null })).hits).not.toEqual([]);
    }));

  it.each([
    ["sqlite-fs", "files"],
    ["files", "sqlite-fs"],
  ] as const)("copies from %s to %s and back without a difference", (one, other) =>
    onDisk(async (place) => {
      await fill({
        ...place,
        open: (options) => place.open({ ...options, settings: { sqliteDriver: one === "files" ? "none" : "auto" } }),
      });
      const [there, back] = [beside(place, "there"), beside(place, "back")];
      const before = await OPENERS[one](place.dataDir).then(rowsOf);
      for (const [from, to] of [
        [() => OPENERS[one](place.dataDir), () => OPENERS[other](there)],
        [() => OPENERS[other](there), () => OPENERS[one](back)],
      ] as const) {
        const [source, target] = [await from(), await to()];
        await copyStorage(source, target);
        await source.close();
        await target.close();
      }
      expect(comparable(await OPENERS[one](back).then(rowsOf))).toEqual(comparable(before));
      const names = (dataDir: string): readonly string[] => fs.readdirSync(path.join(dataDir, "contexts"), { recursive: true }).map(String);
      for (const name of names(place.dataDir).filter((each) => each.endsWith(".gz"))) {
        expect(fs.readFileSync(path.join(back, "contexts", name))).toEqual(fs.readFileSync(path.join(place.dataDir, "contexts", name)));
      }
    }),
  );

  it("keeps a sealed store sealed, and its key opens the copy", () =>
    onDisk(
      async (place) => {
        await fill(place);
        const to = beside(place, "copy");
        await copyStore({ from: place.dataDir, to, env: place.env });
        expect(comparable(await rowsAt(to))).toEqual(comparable(await rowsAt(place.dataDir)));
        expect(await contextsAt(place, to)).toEqual(await contextsAt(place, place.dataDir));
        const raw = fs.readdirSync(to, { recursive: true }).map((name) => path.join(to, String(name)));
        const inClear = raw.filter((file) => fs.statSync(file).isFile() && fs.readFileSync(file).includes("step 7"));
        expect(inClear).toEqual([]);
        expect(await refusalOf(copyStore({ from: place.dataDir, to: beside(place, "third"), env: {} }))).toMatchObject({
          code: "KEY_UNAVAILABLE",
        });
      },
      { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: WISH.key as string },
    ));

  it.each(["keyring.json", "other/session.key"])("copies the second copy of a key when the first is damaged: %s", (name) =>
    onDisk(
      async (place) => {
        await fill(place);
        fs.writeFileSync(path.join(place.dataDir, "contexts", name), "damaged");
        const to = beside(place, "copy");
        await copyStore({ from: place.dataDir, to, env: place.env });
        expect(await contextsAt(place, to)).toEqual(await contextsAt(place, place.dataDir));
      },
      { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: "5".repeat(64) },
    ),
  );

  it("refuses to split a sealed store", () =>
    onDisk(
      async (place) => {
        await fill(place);
        const source = await OPENERS["sqlite-fs"](place.dataDir);
        const error = await refusalOf(copyStorage(source, openMemoryStorage()));
        await source.close();
        expect(error).toMatchObject({ code: "INVALID_INPUT", details: { reason: "target-keeps-no-keys" } });
      },
      { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: WISH.key as string },
    ));

  it("refuses a target that is sealed with another key", () =>
    onDisk(async (place) => {
      await fill(place);
      const to = beside(place, "copy");
      await using sealed = await place.open({
        dataDir: to,
        env: { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: WISH.key as string },
      });
      await sealed.close();
      const source = await OPENERS["sqlite-fs"](place.dataDir);
      const target = await OPENERS["sqlite-fs"](to);
      const error = await refusalOf(copyStorage(source, target));
      await source.close();
      await target.close();
      expect(error).toMatchObject({ code: "INVALID_INPUT", details: { reason: "target-sealed" } });
    }));

  it("updates an earlier copy, and removes checkpoints that the source removed", () =>
    onDisk(async (place) => {
      await fill(place);
      const to = beside(place, "copy");
      await copyStore({ from: place.dataDir, to, env: {} });
      {
        await using store = await place.open();
        await store.saveCheckpoint({ sessionId: "work", context: { filler: FILLER, later: true } });
        await store.erase({ sessionId: "other" });
      }
      const { blobs } = await copyStore({ from: place.dataDir, to, env: {} });
      expect(blobs).toBeLessThan(12);
      expect(comparable(await rowsAt(to))).toEqual(comparable(await rowsAt(place.dataDir)));
      const filesIn = (dataDir: string): readonly string[] =>
        fs.readdirSync(path.join(dataDir, "contexts"), { recursive: true }).map(String);
      expect(filesIn(to).toSorted()).toEqual(filesIn(place.dataDir).toSorted());
    }));

  it("refuses a target with its own checkpoints, and does not change the target", () =>
    onDisk(async (place) => {
      await fill(place);
      const to = beside(place, "copy");
      await copyStore({ from: place.dataDir, to, env: {} });
      {
        await using copied = await place.open({ dataDir: to });
        await copied.tagSession({ sessionId: "work", add: ["mine"] });
      }
      const before = await rowsAt(to);
      expect(await refusalOf(copyStore({ from: place.dataDir, to, env: {} }))).toMatchObject({ code: "CONFLICT" });
      {
        await using copied = await place.open({ dataDir: to });
        await copied.saveCheckpoint({ sessionId: "mine", context: { mine: true } });
      }
      expect(await refusalOf(copyStore({ from: place.dataDir, to, env: {} }))).toMatchObject({
        code: "CONFLICT",
        details: { reason: "target-in-use" },
      });
      expect((await rowsAt(to)).checkpoints.length).toBe(before.checkpoints.length + 1);
    }));

  it("stops when asked, and continues after the incomplete copy was opened", () =>
    onDisk(async (place) => {
      await fill(place);
      const to = beside(place, "copy");
      const signal = { aborted: false };
      const stopped = await copyStore({ from: place.dataDir, to, env: {}, signal, onProgress: ({ done }) => (signal.aborted = done >= 3) });
      expect(stopped.isComplete).toBe(false);
      // The opening rebuilds a catalog from the blobs that are there.
      await using early = await place.open({ dataDir: to });
      await early.close();
      expect(await copyStore({ from: place.dataDir, to, env: {} })).toMatchObject({ isComplete: true });
      expect(comparable(await rowsAt(to))).toEqual(comparable(await rowsAt(place.dataDir)));
    }));

  it("continues an incomplete copy without SQLite", () =>
    onDisk(
      async (place) => {
        await fill(place);
        const { dataDir: from, env } = place;
        const to = beside(place, "copy");
        const signal = { aborted: false };
        await copyStore({ from, to, env, signal, onProgress: ({ done }) => (signal.aborted = done >= 3) });
        expect(await copyStore({ from, to, env })).toMatchObject({ isComplete: true });
        const [copied, original] = [await OPENERS.files(to).then(rowsOf), await OPENERS.files(from).then(rowsOf)];
        expect(comparable(copied)).toEqual(comparable(original));
      },
      { WORKRAIL_SQLITE_DRIVER: "none" },
    ));

  it.skipIf(process.platform === "win32")(
    `is complete after ${KILLS} kills on the way (not on Windows, where SIGKILL is another thing)`,
    () =>
      onDisk(async (place) => {
        await fill(place, 60);
        const to = beside(place, "copy");
        for (let kill = 1; kill <= KILLS; kill++) {
          await killAfter(CHILD, [place.dataDir, to], Math.ceil((kill * 60) / KILLS) - 1);
        }
        await copyStore({ from: place.dataDir, to, env: {} });
        const isSame = JSON.stringify(comparable(await rowsAt(to))) === JSON.stringify(comparable(await rowsAt(place.dataDir)));
        tally({ tries: KILLS, wrong: isSame ? 0 : 1 });
        expect(comparable(await rowsAt(to))).toEqual(comparable(await rowsAt(place.dataDir)));
        expect(await contextsAt(place, to)).toEqual(await contextsAt(place, place.dataDir));
      }),
  );

  it("names a checkpoint whose blob is missing, and copies the rest", () =>
    onDisk(async (place) => {
      let blobPath = "";
      {
        await using store = await place.open();
        ({ blobPath } = await store.saveCheckpoint({ sessionId: "lost", context: { step: 1 } }));
        await store.saveCheckpoint({ sessionId: "kept", context: { step: 1 } });
      }
      fs.rmSync(path.join(place.dataDir, blobPath));
      const to = beside(place, "copy");
      const { missing, isComplete } = await copyStore({ from: place.dataDir, to, env: {} });
      expect({ missing, isComplete }).toEqual({ missing: [{ sessionId: "lost", checkpointId: expect.any(String) }], isComplete: true });
      await using copied = await place.open({ dataDir: to });
      expect((await copied.loadCheckpoint({ sessionId: "kept" })).context).toEqual({ step: 1 });
    }));

  it("refuses the place itself, a place in it, a missing store, a custom storage and a read-only setting", () =>
    onDisk(async (place) => {
      await fill(place);
      const from = place.dataDir;
      const to = beside(place, "copy");
      const inside = path.join(from, "copy");
      for (const target of [from, inside]) {
        expect(await refusalOf(copyStore({ from, to: target, env: {} }))).toMatchObject({
          code: "INVALID_INPUT",
          details: { field: "to" },
        });
      }
      expect(await refusalOf(copyStore({ from: beside(place, "none"), to, env: {} }))).toMatchObject({ details: { field: "from" } });
      const adapters = { storage: openMemoryStorage } as object;
      expect(await refusalOf(copyStore({ from, to, env: {}, adapters }))).toMatchObject({ details: { field: "adapters.storage" } });
      expect(await refusalOf(copyStore({ from, to, env: { WORKRAIL_READ_ONLY: "true" } }))).toMatchObject({ code: "READ_ONLY" });
      await using _open = await place.open();
      expect(await refusalOf(copyStore({ from, to, env: { WORKRAIL_LOCK_TIMEOUT_MS: "50" } }))).toMatchObject({ code: "STORE_IN_USE" });
      expect(fs.existsSync(path.join(to, "contexts", "work"))).toBe(false);
    }));
});
