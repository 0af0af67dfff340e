import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { bundleProgram } from "@workrail/programs";
import { describe, expect, it } from "vitest";
import type { OpenOptions } from "../src/open-options.ts";
import type { UpkeepReport } from "../src/upkeep-params.ts";
import type { Workrail } from "../src/workrail.ts";
import { foreseeable, KINDS, onDisk, type Place } from "./stores.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Saves, one a day: a clock that jumps would not be trusted. */
const DAYS = 40;
const CHILD = await bundleProgram(new URL("./neglected-then-killed.ts", import.meta.url));

describe.each(KINDS)("the upkeep of a store in $kind", ({ kind, at }) => {
  it("does all due work, and then finds nothing left", () =>
    at(async (place) => {
      const later = await neglected(place);
      await using store = await place.open(later);
      expect(await store.upkeep()).toMatchObject({
        finishedRemovals: 0,
        left: [],
        cleanUp: { removed: [{ sessionId: "old", reason: "retention", from: "live", to: "trash", checkpointIds: ["old-0"] }] },
        isComplete: true,
      });
      const again = await store.upkeep();
      expect(again).toMatchObject({ cleanUp: { removed: [] }, compacted: { checkpoints: 0, savedBytes: 0 }, isComplete: true });
      expect(again.verified).toBeUndefined();
      await expectWhole(store);
    }));

  // Without SQLite only one process at a time opens a store.
  it.skipIf(kind === "files alone")("may run in several processes at once, beside a saver, and does each task once", () =>
    at(async (place) => {
      const later = await neglected(place);
      await using one = await place.open(later);
      await using other = await place.open(later);
      const [saved, ...reports] = await Promise.all([
        one.saveCheckpoint({ sessionId: "new", context: { found: "meanwhile" } }),
        one.upkeep(),
        other.upkeep(),
        other.upkeep({ verify: true }),
      ]);
      expect(reports.flatMap(({ cleanUp }) => cleanUp?.removed.flatMap(({ checkpointIds }) => checkpointIds))).toEqual(["old-0"]);
      expect(reports.map(({ isComplete, left }) => [isComplete, left])).toEqual(reports.map(() => [true, []]));
      expect((await one.loadCheckpoint({ checkpointId: saved.checkpointId })).context).toEqual({ found: "meanwhile" });
      await expectWhole(one);
    }),
  );

  it("ends early when it is stopped, and verifies only when asked", () =>
    at(async (place) => {
      const later = await neglected(place);
      await using store = await place.open(later);
      const stopped = await store.upkeep({ verify: true, signal: AbortSignal.abort() });
      expect(stopped).toMatchObject({ compacted: { checkpoints: 0 }, isComplete: false });
      expect(stopped.verified).toBeUndefined();
      expect((await store.upkeep({ verify: true })).verified).toMatchObject({ findings: [], isComplete: true });
    }));
});

it("recompresses quickly written files into fewer bytes, when a process that worked on the session closes, or at upkeep", () =>
  onDisk(async (place) => {
    // Texts of more than 8 KB, which a save compresses for speed: RFC 1952 tells it by the ninth byte.
    const context = (at: number) => ({
      [`only ${at}`]: Array.from({ length: 400 }, (_, index) => `${at} to the ${index}: ${at ** index}`),
    });
    const hasty = (id: string): boolean => readFileSync(path.join(place.dataDir, "contexts", "s", `${id}.json.gz`))[8] === 4;
    const save = async (store: Workrail, at: number): Promise<unknown> =>
      store.saveCheckpoint({ sessionId: "s", checkpointId: `s-${at}`, context: context(at) });
    {
      await using store = await place.open({ upkeep: false });
      await save(store, 3);
    }
    expect(hasty("s-3")).toBe(true);
    {
      await using store = await place.open({ upkeep: false });
      await save(store, 4);
      await save(store, 5);
    }
    expect(["s-3", "s-4", "s-5"].map(hasty)).toEqual([false, false, false]);
    await using store = await place.open({ upkeep: false });
    await save(store, 6);
    expect(hasty("s-6")).toBe(true);
    expect((await store.upkeep()).compacted).toMatchObject({ checkpoints: 1 });
    expect(hasty("s-6")).toBe(false);
    for (const at of [3, 4, 5, 6]) expect((await store.loadCheckpoint({ checkpointId: `s-${at}` })).context).toEqual(context(at));
    expect(await store.verifyStore()).toMatchObject({ findings: [] });
  }));

it("indexes what is pending, in a store that keeps its index", () =>
  onDisk(async (place) => {
    const later = await neglected(place);
    await using store = await place.open(later);
    const told: string[] = [];
    const report = await store.upkeep({ onProgress: ({ phase, done, total }) => told.push(`${phase} ${done} of ${total}`) });
    expect(report.indexed).toEqual({ sessions: 1, pending: 0 });
    expect(told).toEqual(["compact 1 of 1", "index 0 of 1", "index 1 of 1"]);
    expect((await store.searchCheckpoints({ query: "weathervane" })).hits).toHaveLength(1);
  }));

it("reports unfinished erasures while a backup delays removals", () =>
  onDisk(async (place) => {
    const later = await neglected(place);
    holdRemovals(place, 60_000);
    {
      await using store = await place.open(later);
      await store.erase({ checkpointIds: ["s-1"] });
      expect((await store.upkeep()).left).toEqual([expect.stringContaining("Files stay while they are copied")]);
    }
    holdRemovals(place, -1);
    await using store = await place.open(later);
    expect(await store.upkeep({ verify: true })).toMatchObject({ left: [], verified: { findings: [] } });
  }));

it("compacts and indexes the work of a killed process, also in several processes at once", () =>
  onDisk(async (place) => {
    spawnSync(process.execPath, ["--conditions=@workrail/source", CHILD, place.dataDir, "12"]);
    const open = (): Promise<Workrail> => place.open({ upkeep: false });
    await using one = await open();
    await using other = await open();
    const reports = await Promise.all([one.upkeep(), other.upkeep()]);
    expect(sumOf(reports, ({ compacted }) => compacted?.savedBytes ?? 0)).toBeGreaterThan(0);
    expect(reports.map(({ indexed }) => indexed?.pending)).toEqual([0, 0]);
    for (let step = 0; step < 12; step++) {
      expect((await one.loadCheckpoint({ checkpointId: `killed-${step}` })).context).toMatchObject({ step });
    }
    expect((await one.verifyStore()).findings).toEqual([]);
    expect(await other.upkeep()).toMatchObject({ compacted: { checkpoints: 0, savedBytes: 0 }, indexed: { sessions: 0, pending: 0 } });
  }));

it("reports damage when asked to verify", () =>
  onDisk(async (place) => {
    const later = await neglected(place);
    writeFileSync(path.join(place.dataDir, "contexts", "s", "s-0.json.gz"), "not gzip");
    await using store = await place.open(later);
    expect((await store.upkeep({ verify: true })).verified?.findings).toMatchObject([{ kind: "damaged", checkpointId: "s-0" }]);
  }));

/** Makes a store that no process kept, with work of each kind, and returns how to open it so much later that the work is due. */
async function neglected(place: Place): Promise<OpenOptions> {
  const { clock } = foreseeable();
  const now = { value: clock.now().getTime() };
  const options = {
    upkeep: false,
    env: { ...place.env, WORKRAIL_RETENTION_DAYS: "30" },
    adapters: { clock: { now: () => new Date((now.value += 1)) } },
  };
  await using store = await place.open(options);
  await store.saveCheckpoint({ sessionId: "old", checkpointId: "old-0", context: { note: "long ago" } });
  for (let day = 0; day < DAYS; day++) {
    now.value += DAY_MS;
    const context = { day, ...(day === 0 && { note: "weathervane" }) };
    await store.saveCheckpoint({ sessionId: "s", checkpointId: `s-${day}`, context });
  }
  return options;
}

/** Delays the removals of a closed store as a backup does. */
function holdRemovals({ dataDir }: Place, forMs: number): void {
  const database = new DatabaseSync(path.join(dataDir, "workrail.db"));
  database.prepare("INSERT OR REPLACE INTO state VALUES ('hold:test', ?)").run(Date.now() + forMs);
  database.close();
}

async function expectWhole(store: Workrail): Promise<void> {
  for (let day = 0; day < DAYS; day++) {
    expect((await store.loadCheckpoint({ checkpointId: `s-${day}` })).context).toMatchObject({ day });
  }
  expect((await store.verifyStore()).findings).toEqual([]);
  expect((await store.verifyAuditLog()).findings).toEqual([]);
}

function sumOf(reports: readonly UpkeepReport[], figure: (report: UpkeepReport) => number): number {
  return reports.reduce((sum, report) => sum + figure(report), 0);
}
