import fs from "node:fs";
import path from "node:path";
import { ERROR_CODES, isWorkrailError } from "@workrail/core";
import { tally } from "@workrail/storage-conformance/harness";
import { describe, expect, it } from "vitest";
import { setSetting } from "../src/config/set-setting.ts";
import type { CheckpointMetadata } from "../src/context-management-service.ts";
import type { Workrail } from "../src/workrail.ts";
import { onDisk, type Place } from "./stores.ts";
import { filesBelow } from "./traces.ts";

/** Number of bits flipped in each file, spread over the file. */
const FLIPS = Number(process.env["WORKRAIL_FLIPS_OF_EACH"] ?? 1);
const AT_ONCE = 6;

const SEALED = { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: "ab".repeat(32), WORKRAIL_ALLOW_PLAINTEXT_FILES: "true" };
const WITHOUT_SQLITE = { WORKRAIL_SQLITE_DRIVER: "none" };

const KINDS: readonly (readonly [name: string, env: Readonly<Record<string, string>>])[] = [
  ["with SQLite", {}],
  ["without SQLite", WITHOUT_SQLITE],
  ["with SQLite, sealed", SEALED],
  ["without SQLite, sealed", { ...WITHOUT_SQLITE, ...SEALED }],
];

const FILLER = Array.from({ length: 60 }, (_, line) => `${line * 7_919} as it was before`);
const IDS = ["s-1", "s-2", "s-3", "s-4", "t-1", "hurt-1", "hurt-2", "trashed"];
/** Files that no checkpoint is read from: indexes, which are rebuilt, and markers. */
const IS_NO_SOURCE = /^(?:search|vectors)\.db|^reserve$|^open\//u;

/** Fills a store: several sessions, one checkpoint in the trash and one in quarantine, exports, settings, tags. */
async function fill(place: Place): Promise<void> {
  await using store = await place.open();
  for (const checkpointId of IDS) {
    const sessionId = checkpointId === "trashed" ? "s" : (checkpointId.split("-")[0] as string);
    const metadata = { name: `name of ${checkpointId}`, tags: [`tag-${checkpointId}`] };
    await store.saveCheckpoint({ sessionId, checkpointId, context: { [checkpointId]: FILLER, checkpointId }, metadata });
  }
  await store.markCritical({ sessionId: "s", contextKey: "checkpointId" });
  await store.tagSession({ sessionId: "t", add: ["label"] });
  await store.cleanUp({ checkpointIds: ["trashed"], sessionId: "s", includeKept: true });
  await store.exportSession("s");
  fs.appendFileSync(path.join(place.dataDir, "contexts", "hurt", "hurt-2.json.gz"), "and more");
  await store.loadCheckpoint({ sessionId: "hurt" });
  setSetting({ env: {}, dataDir: place.dataDir }, "maxDepth", "100");
}

type Told = Readonly<Record<string, unknown>>;

/** Reads everything readable, and records each value or error code. At the end restores the trash. */
async function readAll(place: Place): Promise<Told> {
  const told: Record<string, unknown> = {};
  const tell = async (name: string, read: () => Promise<unknown>): Promise<void> => {
    told[name] = await read().catch((error: unknown) => (isWorkrailError(error) ? error.code : `foreign: ${String(error)}`));
  };
  await tell("opening", async () => {
    await using store = await place.open();
    for (const checkpointId of IDS) await tell(checkpointId, () => load(store, checkpointId));
    await tell("latest", () => latestOf(store));
    await tell("sessions", async () => {
      const { sessions } = await store.listSessions({ project: null });
      return sessions
        .map(({ id, tags, criticalKeys }) => ({ id, tags, criticalKeys }))
        .toSorted((left, right) => left.id.localeCompare(right.id));
    });
    // Quarantined checkpoints are no longer listed after the catalog was rebuilt.
    for (const sessionId of ["s", "t"]) {
      await tell(`listing of ${sessionId}`, async () => {
        const { checkpoints, total } = await store.findCheckpoints({ sessionId });
        return { checkpoints: checkpoints.map(describedBy), total };
      });
    }
    await tell("trash", async () => (await store.listTrash()).map(({ id }) => id));
    await tell("verification", async () => void (await store.verifyStore()));
    await tell("restored", async () => {
      await store.restoreFromTrash({ sessionId: "s" });
      return load(store, "trashed");
    });
    return "open";
  });
  return told;
}

/** Metadata without the fields that a load, a failed load or a rebuild changes. */
function describedBy({ lastAccessedAt: _lastAccessedAt, sequence: _sequence, damaged: _damaged, ...rest }: CheckpointMetadata): object {
  return rest;
}

async function load(store: Workrail, checkpointId: string): Promise<object> {
  const { context, metadata } = await store.loadCheckpoint({ checkpointId });
  return { context, name: metadata.name, tags: metadata.tags };
}

/** Returns the newest readable checkpoint, or "told" when the load reports skipped ones. */
async function latestOf(store: Workrail): Promise<unknown> {
  const { checkpointId, fellBackFrom = [] } = await store.loadCheckpoint({ sessionId: "s" });
  return fellBackFrom.length > 0 ? "told" : checkpointId;
}

/** Returns the values that are neither right nor a named error. */
function wrongIn(told: Told, right: Told): readonly unknown[] {
  return Object.entries(told).flatMap(([name, value]) => {
    const isNamed = typeof value === "string" && (Object.hasOwn(ERROR_CODES, value) || (name === "latest" && value === "told"));
    const isRight = JSON.stringify(value) === JSON.stringify(right[name]);
    return isRight || (isNamed && value !== "INTERNAL") ? [] : [{ name, value }];
  });
}

/** Flips one bit: number `index` of `count` bits spread over the file. */
function flip(file: string, index: number, count: number): number {
  const bytes = fs.readFileSync(file);
  const at = Math.floor(((index + 0.5) / count) * bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << ((at + index) % 8));
  fs.writeFileSync(file, bytes);
  return at;
}

async function withFilled<T>(env: Readonly<Record<string, string>>, work: (original: string) => Promise<T>): Promise<T> {
  return onDisk(async (place) => {
    await fill(place);
    return work(place.dataDir);
  }, env);
}

/** Runs `work` on a copy of the filled store. */
function onCopy<T>(original: string, env: Readonly<Record<string, string>>, work: (place: Place) => Promise<T>): Promise<T> {
  return onDisk((place) => {
    fs.cpSync(original, place.dataDir, { recursive: true });
    return work(place);
  }, env);
}

describe.each(KINDS)("one flipped bit in each file of a store %s", (_name, env) => {
  it("returns the right value or a named error for every read", { timeout: 3_600_000 }, () =>
    withFilled(env, async (original) => {
      const right = await onCopy(original, env, readAll);
      expect(JSON.stringify(right)).not.toContain("foreign: ");
      expect(right).toMatchObject({
        opening: "open",
        latest: "s-4",
        "hurt-2": "CHECKPOINT_CORRUPT",
        sessions: [{ id: "hurt" }, { id: "s", criticalKeys: ["checkpointId"] }, { id: "t", tags: ["label"] }],
        trash: ["trashed"],
        restored: { name: "name of trashed" },
      });
      const names = filesBelow(original).map((file) => path.relative(original, file).replaceAll(path.sep, "/"));
      expect(names).toEqual(expect.arrayContaining(["config.json", "contexts/s/metadata.json", "quarantine/contexts/hurt/hurt-2.json.gz"]));
      const flips = names
        .filter((name) => !IS_NO_SOURCE.test(name) && fs.statSync(path.join(original, name)).size > 0)
        .flatMap((name) => Array.from({ length: FLIPS }, (_unused, index) => ({ name, index })));
      const wrong: unknown[] = [];
      const take = async (): Promise<void> => {
        for (let next = flips.pop(); next !== undefined; next = flips.pop()) {
          const { name, index } = next;
          const found = await onCopy(original, env, async (place) => {
            flip(path.join(place.dataDir, name), index, FLIPS);
            const told = await readAll(place);
            return wrongIn(told, right);
          });
          tally({ tries: 1, wrong: found.length });
          if (found.length > 0) wrong.push({ name, index, found });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, take));
      expect(wrong).toEqual([]);
    }),
  );
});

it("after one flipped bit in an exported file, everything is imported unchanged, or nothing", { timeout: 3_600_000 }, () =>
  withFilled({}, async (original) => {
    const folder = path.join(original, "exports");
    const exported = path.join(folder, fs.readdirSync(folder)[0] as string);
    const right = await importedFrom(exported);
    expect(right).toHaveLength(4);
    const count = 10 * FLIPS;
    for (let index = 0; index < count; index++) {
      await onDisk(async ({ dataDir }) => {
        const file = `${dataDir}.json`;
        fs.copyFileSync(exported, file);
        flip(file, index, count);
        const found = await importedFrom(file).catch((error: unknown) => (isWorkrailError(error) ? error.code : String(error)));
        const isRight = ["INVALID_INPUT", "UNSUPPORTED_VERSION"].includes(String(found)) || JSON.stringify(found) === JSON.stringify(right);
        tally({ tries: 1, wrong: isRight ? 0 : 1 });
        expect({ index, found: isRight ? right : found }).toEqual({ index, found: right });
      });
    }
  }),
);

/** Returns the contexts that a file imports into an empty store, oldest first. */
function importedFrom(file: string): Promise<readonly unknown[]> {
  return onDisk(async (place) => {
    await using store = await place.open();
    const { sessionId } = await store.importFile(file);
    const { checkpoints } = await store.findCheckpoints({ sessionId });
    const imported = checkpoints.map(async ({ id, parentId, createdAt }) => ({ ...(await load(store, id)), id, parentId, createdAt }));
    return (await Promise.all(imported)).toReversed();
  }, WITHOUT_SQLITE);
}
