import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type CheckpointRow, type Everything, EVERYTHING, type Facts, runThen, type Storage } from "@workrail/core";
import { openMemoryStorage } from "@workrail/memory";
import { tally } from "@workrail/storage-conformance/harness";
import { copyStore as copyStorage } from "@workrail/transfer";
import { describe, expect, it } from "vitest";
import { copyStore } from "../src/copy-store.ts";
import { OPENERS, WISH } from "./sealed-stores.ts";
import { onDisk, type Place, refusalOf } from "./stores.ts";

const CHILD = fileURLToPath(new URL("./copied-then-killed.ts", import.meta.url));
/** `npm run test:faults` sets the variable. */
const KILLS = process.env["WORKRAIL_CONFORMANCE_STRIDE"] === undefined ? 4 : 20;
const FILLER = randomBytes(2_000).toString("base64");

/** Fills a store with everything that a copy must keep: deltas, a fork, an aside, labels, pins, trash and a deleted checkpoint. */
async function fill(place: Place, steps = 12): Promise<void> {
  await using store = await place.open();
  for (let step = 0; step < steps; step++) {
    const sessionId = step % 3 === 0 ? "other" : "work";
    await store.saveCheckpoint({
      sessionId,
      context: { filler: FILLER, step },
      metadata: { name: `step ${step}`, tags: [`t${step % 2}`] },
    });
  }
  const checkpoints = await store.listCheckpoints({ sessionId: "work" });
  const [newest, second, third, fourth] = checkpoints.map(({ id }) => id);
  await store.saveCheckpoint({
    sessionId: "work",
    parentId: third,
    context: { filler: FILLER, fork: true },
    metadata: { a: 1 },
  });
  await store.markCritical({ sessionId: "work", contextKey: "filler" });
  await store.tagSession({ sessionId: "other", add: ["keep"] });
  await store.cleanUp({ checkpointIds: [second as string] });
  await store.deleteCheckpoint({ checkpointId: fourth as string });
  await store.loadCheckpoint({ checkpointId: newest });
}

function beside(place: Place, name: string): string {
  return path.join(path.dirname(place.dataDir), name);
}

async function rowsOf(storage: Storage): Promise<Facts<Everything>> {
  return runThen(
    () => storage.catalog.read(EVERYTHING),
    () => storage.close(),
  );
}

/** Rows without what the adapter assigns. */
function comparable({ checkpoints, removals, sessions, edges, ...rows }: Facts<Everything>): unknown {
  const placeless = ({ record: { blob: _blob, ...record }, trashedAt }: CheckpointRow): unknown => ({ record, trashedAt });
  const pending = removals.filter(({ isDone }) => !isDone).map(({ blob: _blob, ...row }) => row);
  return {
    ...rows,
    edges: edges.map(({ dependent, base }) => `${dependent} ${base}`).toSorted(),
    checkpoints: checkpoints.map(placeless),
    sessions: sessions.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    removals: pending,
  };
}

const rowsAt = (dataDir: string) => OPENERS["sqlite-fs"](dataDir).then(rowsOf);

/** Every context of a store, by id. */
async function contextsAt(place: Place, dataDir: string): Promise<ReadonlyMap<string, unknown>> {
  await using store = await place.open({ dataDir, upkeep: false });
  const contexts = new Map<string, unknown>();
  for await (const { id } of store.eachCheckpoint({ project: null }))
    contexts.set(id, (await store.loadCheckpoint({ checkpointId: id })).context);
  return contexts;
}

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

  it("refuses to take a sealed store apart", () =>
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

  it("brings an earlier copy up to date, and removes what the source removed", () =>
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

  it("refuses a target with work of its own, and leaves it as it is", () =>
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

  it("stops when asked, and continues after somebody opened the incomplete copy", () =>
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

  it.skipIf(process.platform === "win32")(
    `is complete after ${KILLS} kills on the way (not on Windows, where SIGKILL is another thing)`,
    () =>
      onDisk(async (place) => {
        await fill(place, 60);
        const to = beside(place, "copy");
        for (let kill = 1; kill <= KILLS; kill++) {
          const child = spawn(process.execPath, ["--conditions=@workrail/source", CHILD, place.dataDir, to], {
            stdio: ["ignore", "pipe", "inherit"],
          });
          const closed = once(child, "close");
          const after = Math.ceil((kill * 60) / KILLS) - 1;
          for await (const line of createInterface({ input: child.stdout })) if (Number(line) >= after) child.kill("SIGKILL");
          await closed;
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
