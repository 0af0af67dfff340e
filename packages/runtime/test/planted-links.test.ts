import fs from "node:fs";
import path from "node:path";
import { type Embedder, isWorkrailError } from "@workrail/core";
import { describe, expect, it, vi } from "vitest";
import { setSetting } from "../src/config/set-setting.ts";
import type { Workrail } from "../src/workrail.ts";
import { onDisk, type Place } from "./stores.ts";

const KEY = "cd".repeat(32);
const AT_ONCE = 16;
const TOKEN = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");

const embedder: Embedder = {
  name: "one-number",
  dimensions: 2,
  embed: async (texts) => texts.map((text) => Float32Array.from([1, text.length])),
};

/** One step of a store's use. Each runs on its own, so that a refused step does not stop the others. */
type Step = (store: Workrail, place: Place) => unknown;
const STEPS: readonly Step[] = [
  (store) => store.saveCheckpoint({ sessionId: "s", checkpointId: "c1", context: { goal: "mend the weathervane" } }),
  (store) => store.saveCheckpoint({ sessionId: "s", checkpointId: "c2", context: { goal: "mend the weathervane", step: 2 } }),
  (store) => store.saveCheckpoint({ sessionId: "s", checkpointId: "c3", context: { goal: "mend the weathervane", key: TOKEN } }),
  (store) => store.saveCheckpoint({ sessionId: "other", checkpointId: "c4", context: { damaged: true } }),
  (store) => store.markCritical({ sessionId: "s", contextKey: "goal" }),
  (store) => store.searchCheckpoints({ query: "weathervane" }),
  (store) => store.exportAll(),
  (_store, { dataDir }) => damage(dataDir, "contexts/other/c4.json.gz"),
  (store) => store.loadCheckpoint({ checkpointId: "c4" }),
  (store) => store.cleanUp({ checkpointIds: ["c1"], sessionId: "s" }),
  (_store, { dataDir }) => setSetting({ env: {}, dataDir }, "maxDepth", "100"),
  (store) => store.repairStore(),
];

/** Damages a file, unless that would write through a link. */
function damage(dataDir: string, name: string): void {
  const file = path.join(dataDir, name);
  const isOwn = fs.realpathSync(file) === path.join(fs.realpathSync(dataDir), name);
  if (isOwn) fs.writeFileSync(file, "damaged");
}

/** Uses a store in every way that creates files, until the awaited ones exist. Returns the errors that are not ours. */
async function useAll(
  place: Place,
  env: Readonly<Record<string, string>>,
  areThere: () => boolean = () => true,
): Promise<readonly unknown[]> {
  const foreign: unknown[] = [];
  const attempt = async (work: () => unknown): Promise<void> => {
    try {
      await work();
    } catch (error) {
      const isOurs = isWorkrailError(error) || (error instanceof Error && "syscall" in error);
      if (!isOurs) foreign.push(error);
    }
  };
  const adapters = { embedder };
  await attempt(async () => {
    const store = await place.open({ env: { WORKRAIL_SECRETS: "redact", WORKRAIL_ALLOW_PLAINTEXT_FILES: "true", ...env }, adapters });
    try {
      for (const step of STEPS) await attempt(() => step(store, place));
      // Vectors and the reserve are created a moment later.
      await new Promise((resolve) => setTimeout(resolve, 400));
      await vi.waitUntil(areThere, { timeout: 60_000 });
    } finally {
      await store.close();
    }
  });
  return foreign;
}

/** Returns every predictable name that is created in a data directory at some time, except files of a running process. */
async function namesMade(env: Readonly<Record<string, string>>, among: readonly string[]): Promise<readonly string[]> {
  return onDisk(async (place) => {
    const seen = new Set<string>();
    fs.mkdirSync(place.dataDir);
    const watcher = fs.watch(place.dataDir, { recursive: true }, (_event, name) => void seen.add(String(name)));
    const areThere = (): boolean => {
      for (const name of fs.readdirSync(place.dataDir, { recursive: true }).map(String)) seen.add(name);
      return among.every((name) => seen.has(name));
    };
    expect(await useAll(place, env, areThere)).toEqual([]);
    watcher.close();
    areThere();
    // Names with random digits or a process id cannot be known beforehand.
    const isForeseeable = (name: string): boolean => !/[0-9a-f]{16}|\.tmp|^open\/./u.test(name);
    return [...seen].filter(isForeseeable).toSorted();
  });
}

const STORES: Readonly<
  Record<string, { readonly env: Readonly<Record<string, string>>; readonly among: readonly string[]; readonly isWhole?: true }>
> = {
  SQLite: {
    env: {},
    isWhole: true,
    among: [
      "workrail.db",
      "workrail.db-wal",
      "workrail.db-shm",
      "workrail.db-mark",
      "workrail.lock",
      "search.db",
      "search.db-wal",
      "vectors.db",
      "contexts",
      "contexts/s",
      "contexts/s/c1.json.gz",
      "contexts/s/metadata.json",
      "quarantine",
      "quarantine/contexts/other/c4.json.gz",
      "exports",
      "open",
      "reserve",
      "redaction.key",
      "config.json",
    ],
  },
  "files alone": { env: { WORKRAIL_SQLITE_DRIVER: "none" }, among: ["catalog.jsonl", "contexts/s/c1.json.gz"] },
  sealed: {
    env: { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: KEY },
    among: ["contexts/keyring.json", "contexts/keyring.json.copy", "contexts/s/session.key", "contexts/s/session.key.copy"],
  },
};

interface Planted {
  /** Name in the data directory. */
  readonly name: string;
  /** Target outside of it. */
  readonly target: string;
  readonly env: Readonly<Record<string, string>>;
}

function targetsOf(name: string): readonly string[] {
  const isDirectory = !path.basename(name).includes(".") && name !== "reserve";
  return isDirectory ? [""] : ["precious", "new"];
}

/** Returns everything that was harmed, or failed in an unexpected way. */
async function harmThrough({ name, target, env }: Planted): Promise<readonly unknown[]> {
  return onDisk(async (place) => {
    const outside = path.join(path.dirname(place.dataDir), "outside");
    fs.mkdirSync(outside);
    fs.writeFileSync(path.join(outside, "precious"), "as it was");
    const link = path.join(place.dataDir, name);
    fs.mkdirSync(path.dirname(link), { recursive: true, mode: 0o700 });
    fs.symlinkSync(path.join(outside, target), link);
    const foreign = await useAll(place, env);
    const found = fs.readdirSync(outside).map((each) => [each, fs.readFileSync(path.join(outside, each), "utf8")]);
    const isHarmed = foreign.length > 0 || JSON.stringify(found) !== '[["precious","as it was"]]';
    return isHarmed ? [{ name, target, foreign, found }] : [];
  });
}

describe.skipIf(process.platform === "win32")("a planted link (not on Windows, where links need a privilege)", () => {
  it.each(Object.entries(STORES))(
    "under any name in the data directory diverts no write (%s)",
    async (_kind, { env, among, isWhole }) => {
      const names = await namesMade(env, among);
      expect(names).toEqual(expect.arrayContaining([...among]));
      const links = (isWhole ? names : among).flatMap((name) => targetsOf(name).map((target) => ({ name, target, env })));
      // Runs in parallel: each case mostly waits, and has a store of its own.
      const harmed: unknown[] = [];
      const take = async (): Promise<void> => {
        for (let link = links.pop(); link !== undefined; link = links.pop()) harmed.push(...(await harmThrough(link)));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, take));
      expect(harmed).toEqual([]);
    },
    600_000,
  );
});
