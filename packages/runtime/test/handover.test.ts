import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { openFilesStorage } from "@workrail/files-catalog";
import { nodeFileSystem, openSqliteFs } from "@workrail/sqlite-fs";
import { Faults, withFaults } from "@workrail/storage-conformance/harness";
import { describe, expect, it } from "vitest";
import type { Adapters } from "../src/container.ts";
import type { OpenOptions } from "../src/open-options.ts";
import type { Workrail } from "../src/workrail.ts";
import { onDisk, type Place, refusalOf } from "./stores.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const WITH = { WORKRAIL_SQLITE_DRIVER: "auto" };
const WITHOUT = { WORKRAIL_SQLITE_DRIVER: "none" };
const DIRECTIONS = [
  { from: "SQLite", to: "files alone", one: WITH, other: WITHOUT },
  { from: "files alone", to: "SQLite", one: WITHOUT, other: WITH },
] as const;
/** Two checkpoints of each session stay, so that there are removals that must not be undone. */
const limits = { maxCheckpoints: 2 };
/** Tests every n-th file operation; `npm run test:faults` tests each. */
const STRIDE = IS_LONG ? 1 : 5;

async function using<T>(place: Place, options: OpenOptions, work: (workrail: Workrail) => Promise<T>): Promise<T> {
  const workrail = await place.open({ limits, ...options });
  try {
    return await work(workrail);
  } finally {
    await workrail.close();
  }
}

async function save(workrail: Workrail, ...steps: readonly number[]): Promise<void> {
  for (const step of steps) await workrail.saveCheckpoint({ sessionId: "session", context: { step } });
}

/** Returns the steps of a session's checkpoints, newest first. */
async function held(workrail: Workrail): Promise<readonly unknown[]> {
  const checkpoints = await workrail.listCheckpoints({ sessionId: "session" });
  const loaded = await Promise.all(checkpoints.map(({ id }) => workrail.loadCheckpoint({ checkpointId: id })));
  return loaded.map(({ context }) => context["step"]);
}

describe.each(DIRECTIONS)("a store that was used with $from and is opened with $to", ({ one, other }) => {
  it("holds all saved checkpoints in their order, and no removed ones, in both directions", () =>
    onDisk(async (place) => {
      await using(place, { env: one }, async (workrail) => {
        await save(workrail, 1, 2, 3);
        await workrail.markCritical({ sessionId: "session", contextKey: "step" });
      });
      await using(place, { env: other }, async (workrail) => {
        expect(await held(workrail)).toEqual([3, 2]);
        await save(workrail, 4);
      });
      await using(place, { env: one }, async (workrail) => {
        expect(await held(workrail)).toEqual([4, 3]);
        await save(workrail, 5);
      });
      await using(place, { env: other }, async (workrail) => {
        expect(await held(workrail)).toEqual([5, 4]);
        const { metadata } = await workrail.loadCheckpoint({ sessionId: "session" });
        expect(metadata).toMatchObject({ criticalKeys: ["step"] });
      });
      const replaced = fs.readdirSync(place.dataDir).filter((name) => /\.replaced-\d+$/.test(name));
      expect(replaced.toSorted()).toEqual(
        (one === WITH
          ? ["catalog.jsonl.replaced-1", "workrail.db.replaced-1", "workrail.db.replaced-2"]
          : ["catalog.jsonl.replaced-1", "catalog.jsonl.replaced-2", "workrail.db.replaced-1"]
        ).toSorted(),
      );
    }));

  it("is refused while the other has it open", () =>
    onDisk(async (place) => {
      await using(place, { env: one }, async (workrail) => {
        await save(workrail, 1);
        expect((await refusalOf(place.open({ env: { ...other, WORKRAIL_LOCK_TIMEOUT_MS: "0" } }))).code).toBe("STORE_IN_USE");
        await save(workrail, 2);
      });
      await using(place, { env: other }, async (workrail) => expect(await held(workrail)).toEqual([2, 1]));
    }));

  it.each([
    ["the same", other, 1],
    ["the one before", one, 3],
  ])("holds everything although the process died at any file operation of the change, for %s next", (_, next, first) =>
    onDisk(async (place) => {
      await using(place, { env: one }, (workrail) => save(workrail, 1, 2, 3));
      const original = `${place.dataDir}-original`;
      fs.renameSync(place.dataDir, original);
      const faults = new Faults();
      for (let at = IS_LONG ? 1 : first, struck = true; struck; at += STRIDE) {
        fs.cpSync(original, place.dataDir, { recursive: true });
        await place.open({ limits, adapters: { storage: dying(faults, at, other) } }).then(
          (workrail) => workrail.close(),
          (error: unknown) => expect(error).toMatchObject({ code: "STORAGE_UNAVAILABLE" }),
        );
        ({ struck } = faults);
        faults.disarm();
        await using(place, { env: next }, async (workrail) => expect(await held(workrail), `operation ${at}`).toEqual([3, 2]));
        fs.rmSync(place.dataDir, { recursive: true });
      }
    }),
  );
});

/** Opens a storage whose file operations have no effect from the n-th on, as after a crash. */
function dying(faults: Faults, at: number, env: object): NonNullable<Adapters["storage"]> {
  const open = env === WITH ? openSqliteFs : openFilesStorage;
  return ({ dataDir }) => {
    faults.arm({ kind: "crashes", at, persistent: true, code: "EIO" });
    return open({ dataDir: path.resolve(dataDir), fs: withFaults(nodeFileSystem, faults, { throws: true }) });
  };
}

describe("without SQLite", () => {
  const program = path.join(path.dirname(fileURLToPath(import.meta.url)), "without-sqlite.ts");
  const run = (dataDir: string, driver: string) =>
    spawnSync(process.execPath, ["--conditions=@workrail/source", program, dataDir], {
      encoding: "utf8",
      env: { ...process.env, WORKRAIL_SQLITE_DRIVER: driver },
    });

  it("the store is kept in files alone, and the reasons are logged", () =>
    onDisk(async (place) => {
      const { stdout, stderr } = run(place.dataDir, "auto");
      expect(stderr).toBe("");
      const logged = stdout.trimEnd().split("\n");
      expect(logged.map((line) => JSON.parse(line) as object)).toMatchObject([
        { tried: { "better-sqlite3": "better-sqlite3 is not here", "node:sqlite": "node:sqlite is not here" } },
        { message: "opened the store", mode: "files" },
      ]);
      await using(place, { env: WITH }, async (workrail) => expect(await held(workrail)).toEqual([1]));
    }));

  it("a driver that was requested by name is an error", () =>
    onDisk(async (place) => {
      const { stderr } = run(place.dataDir, "node:sqlite");
      expect(stderr).toContain("STORAGE_UNAVAILABLE");
      expect(fs.existsSync(path.join(place.dataDir, "catalog.jsonl"))).toBe(false);
    }));
});
