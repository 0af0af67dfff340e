import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { type Embedder, isWorkrailError, type Storage } from "@workrail/core";
import { openFilesStorage } from "@workrail/files-catalog";
import { type FileSystem, nodeFileSystem, openSqliteFs } from "@workrail/sqlite-fs";
import { Faults, tally, withFaults } from "@workrail/storage-conformance/harness";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { SaveCheckpointParams } from "../src/context-management-service.ts";
import type { OpenOptions } from "../src/open-options.ts";
import type { Workrail } from "../src/workrail.ts";
import { onDisk, type Place, readAudit, refusalOf } from "./stores.ts";
import { filesBelow, newWord, tracesOf } from "./traces.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const SESSION = "work";
/** Part of every context, and long enough for a delta to pay off. */
const FILLER = randomBytes(3_000).toString("base64");

const embedder: Embedder = {
  name: "test",
  dimensions: 4,
  embed: async (texts) => texts.map((text) => Float32Array.of(1, text.length, 3, 4)),
};
/** Tests every n-th file operation; `npm run test:faults` tests each. */
const STRIDE = IS_LONG ? 1 : 15;
/** Checkpoints of a large table. 200 rows split the pages of a table, and of its indexes, as often as 800 do: once. */
const MANY = IS_LONG ? 800 : 200;
const OPEN: OpenOptions = { adapters: { embedder } };

interface Saved {
  readonly checkpointId: string;
  readonly context: unknown;
  readonly words: readonly string[];
}

/** Saves a checkpoint with unique words in each field that takes text. */
async function save(store: Workrail, sessionId: string = SESSION): Promise<Saved> {
  const words = Array.from({ length: 6 }, newWord);
  const [key, value, name, tag, attribute, workflow] = words;
  const context = { filler: FILLER, [`key-${key}`]: `what was found: ${value} and ${newWord()}`, list: [value] };
  const metadata = { name: `about ${name}`, tags: [`tag-${tag}`], attributes: { [`attribute-${attribute}`]: `is ${attribute}` } };
  const params: SaveCheckpointParams = {
    sessionId,
    context,
    metadata, // Project of the session, erased with its last checkpoint.
    project: "/projects/of-the-session",
    workflowId: `flow-${workflow}`,
  };
  const { checkpointId } = await store.saveCheckpoint(params);
  return { checkpointId, context, words };
}

async function within<T>(place: Place, work: (store: Workrail) => Promise<T>, options: OpenOptions = OPEN): Promise<T> {
  await using store = await place.open(options);
  return await work(store);
}

/** Removes a checkpoint by unlinking, as the store does after its time in the trash. */
async function unlinked(place: Place, { checkpointId }: Saved): Promise<void> {
  await within(place, (store) => store.cleanUp({ checkpointIds: [checkpointId] }));
  const end = (store: Workrail): Promise<unknown> => store.cleanUp();
  await within(place, end, { ...OPEN, env: { WORKRAIL_TRASH_DAYS: "0" } });
  expect(await within(place, (store) => store.listTrash())).toEqual([]);
}

interface Prepared {
  readonly dataDir: string;
  readonly saved: readonly Saved[];
}

/** One prepared store of each kind, by the options it is opened with. */
const preparedStores = new Map<string, Promise<Prepared>>();

afterAll(async () => {
  for (const prepared of preparedStores.values()) fs.rmSync((await prepared).dataDir, { recursive: true });
});

/** Copies a store made by `prepareAnew`, which takes a second and so runs once for each kind of store. */
async function prepare(place: Place, options: OpenOptions = OPEN): Promise<readonly Saved[]> {
  const kind = JSON.stringify([place.env, Object.keys(options)]);
  const prepared = preparedStores.get(kind) ?? prepareToCopy(place, options);
  preparedStores.set(kind, prepared);
  const { dataDir, saved } = await prepared;
  if (!fs.existsSync(place.dataDir)) fs.cpSync(dataDir, place.dataDir, { recursive: true });
  return saved;
}

async function prepareToCopy(place: Place, options: OpenOptions): Promise<Prepared> {
  const saved = await prepareAnew(place, options);
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-prepared-"));
  fs.cpSync(place.dataDir, dataDir, { recursive: true });
  return { dataDir, saved };
}

/** Creates a store with five checkpoints, compacted, indexed and embedded. */
async function prepareAnew(place: Place, options: OpenOptions): Promise<readonly Saved[]> {
  const saved: Saved[] = [];
  const saveAll = async (store: Workrail): Promise<void> => {
    for (let step = 0; step < 5; step++) saved.push(await save(store));
  };
  await within(place, saveAll, options);
  const index = async (store: Workrail): Promise<void> => {
    await store.finishIndex();
    // Without SQLite there are no vectors.
    if (options.adapters?.embedder === undefined || !fs.existsSync(path.join(place.dataDir, "workrail.db"))) return;
    const isEmbedded = async (): Promise<boolean> =>
      (await store.storeStatus()).vectors?.spaces.every(({ pending, vectors }) => pending === 0 && vectors > 0) === true;
    await vi.waitUntil(isEmbedded, { timeout: 60_000, interval: 50 });
  };
  await within(place, index, options);
  return saved;
}

/** Returns the id of the base that a checkpoint is stored against, from its file. */
function baseOf(place: Place, saved: Saved): string | undefined {
  const [header = ""] = gunzipSync(fs.readFileSync(blobOf(place, saved)))
    .toString()
    .split(",\n", 1);
  return (JSON.parse(`${header}}`) as { base?: string }).base;
}

function idsOf(saved: readonly Saved[]): string[] {
  return saved.map(({ checkpointId }) => checkpointId);
}

async function expectWhole(store: Workrail, all: readonly Saved[]): Promise<void> {
  for (const { checkpointId, context } of all) {
    expect(JSON.stringify((await store.loadCheckpoint({ checkpointId })).context)).toBe(JSON.stringify(context));
  }
  expect((await store.verifyStore()).findings).toEqual([]);
}

interface Erasing {
  readonly index: number;
  readonly options?: OpenOptions;
}

/** Erases one of the prepared checkpoints, and checks that no trace of it is left, open or closed, and that all others are intact. */
async function expectErased(place: Place, saved: readonly Saved[], { index, options = OPEN }: Erasing): Promise<void> {
  const { checkpointId, words } = saved[index] as Saved;
  const others = saved.filter((each) => each.checkpointId !== checkpointId);
  const eraseIt = async (store: Workrail): Promise<void> => {
    const { erased, left } = await store.deleteCheckpoint({ checkpointId });
    expect({ erased, left }).toEqual({ erased: [{ checkpointId, sessionId: SESSION }], left: [] });
    // With the store open and its logs in place.
    expect(tracesOf(place.dataDir, words)).toEqual([]);
    // Derived data such as vectors contains no words, but names its checkpoint.
    expect(derivedFrom(place, checkpointId)).toEqual([]);
    if ((await store.listTrash()).length > 0) await store.restoreFromTrash({ sessionId: SESSION });
    await expectWhole(store, others);
    const refusal = await refusalOf(store.loadCheckpoint({ checkpointId }));
    expect(refusal).toMatchObject({ code: "CHECKPOINT_NOT_FOUND", details: { reason: "erased", checkpointId, sessionId: SESSION } });
    expect((await refusalOf(store.deleteCheckpoint({ checkpointId }))).code).toBe("CHECKPOINT_NOT_FOUND");
  };
  await within(place, eraseIt, options);
  expect(tracesOf(place.dataDir, words)).toEqual([]);
}

/** Returns the index files that name a checkpoint. */
function derivedFrom({ dataDir }: Place, checkpointId: string): readonly string[] {
  return filesBelow(dataDir).filter(
    (file) => /^(?:search|vectors)\.db/u.test(path.basename(file)) && fs.readFileSync(file).includes(checkpointId),
  );
}

/** Creates old copies of the catalog, as rebuilds and migrations leave them. */
function keepOldCatalogs({ dataDir }: Place): readonly string[] {
  const catalog = ["workrail.db", "catalog.jsonl"].find((name) => fs.existsSync(path.join(dataDir, name))) as string;
  const copies =
    catalog === "workrail.db" ? ["workrail.db.replaced-2", "workrail.db.replaced-2-wal", "workrail.db.new"] : ["catalog.jsonl.replaced-2"];
  fs.mkdirSync(path.join(dataDir, "backups"), { recursive: true });
  const names = [...copies, path.join("backups", "pre-schema-5.db"), path.join("backups", "pre-schema-6.db.new")];
  for (const name of names) fs.copyFileSync(path.join(dataDir, catalog), path.join(dataDir, name));
  return names.map((name) => path.join(dataDir, name));
}

function blobOf({ dataDir }: Place, { checkpointId }: Saved, below: string = "contexts"): string {
  return path.join(dataDir, below, SESSION, `${checkpointId}.json.gz`);
}

describe.each(["better-sqlite3", "node:sqlite", "none"])(
  "with the catalog by %s, erasing a checkpoint removes all of its data",
  (driver) => {
    const at = (test: (place: Place) => Promise<void>) => () => onDisk(test, { WORKRAIL_SQLITE_DRIVER: driver });

    it.each([
      ["is the latest", 4],
      ["is the one to fall back to", 3],
      ["is the base of another, and a delta itself", 1],
      ["is the oldest", 0],
    ])("that %s", (_, index) =>
      at(async (place) => {
        const saved = await prepare(place);
        for (const { words } of saved) expect(tracesOf(place.dataDir, words).length).toBeGreaterThan(1);
        const isIndexed = fs.existsSync(path.join(place.dataDir, "search.db"));
        for (const { checkpointId } of saved) expect(derivedFrom(place, checkpointId).length > 0).toBe(isIndexed);
        expect(saved.map((each) => baseOf(place, each))).toEqual([...idsOf(saved.slice(1, 4)), undefined, undefined]);
        await expectErased(place, saved, { index });
        for (const { words } of saved.filter((each) => each !== saved[index])) expect(tracesOf(place.dataDir, words)).not.toEqual([]);
      })(),
    );

    it.each([
      ["it is in the trash", [2]],
      ["its delta is in the trash", [1]],
      ["its whole session is in the trash", [0, 1, 2, 3, 4]],
    ])("when %s", (_, trashed) =>
      at(async (place) => {
        const saved = await prepare(place);
        const checkpointIds = idsOf(trashed.map((index) => saved[index] as Saved));
        await within(place, (store) => store.cleanUp({ checkpointIds }));
        expect(await within(place, (store) => store.listTrash())).toHaveLength(trashed.length);
        await expectErased(place, saved, { index: 2 });
      })(),
    );

    it(
      "whose delta was removed but is still a base",
      at(async (place) => {
        const saved = await prepare(place);
        const [oldest, removed, gone, ...others] = saved as [Saved, Saved, Saved, ...Saved[]];
        await unlinked(place, removed);
        expect(fs.existsSync(blobOf(place, removed))).toBe(true);
        await expectErased(place, [oldest, gone, ...others], { index: 1 });
        expect(fs.existsSync(blobOf(place, removed))).toBe(false);
      }),
    );

    it(
      "in old catalogs, in quarantine, and in unfinished files",
      at(async (place) => {
        const saved = await prepare(place);
        const gone = saved[2] as Saved;
        const aside = [blobOf(place, gone, "quarantine/contexts"), `${blobOf(place, gone, "quarantine/contexts")}.1`];
        fs.mkdirSync(path.dirname(aside[0] as string), { recursive: true });
        const unfinished = path.join(place.dataDir, "contexts", SESSION, ".tmp-00000000-1-0123456789abcdef");
        for (const file of [...aside, unfinished]) fs.copyFileSync(blobOf(place, gone), file);
        // A file of another host counts as abandoned after a day.
        fs.utimesSync(unfinished, new Date(0), new Date(0));
        const catalogs = keepOldCatalogs(place);
        const before = tracesOf(place.dataDir, gone.words);
        expect(before).toEqual(expect.arrayContaining([...aside, unfinished, ...catalogs]));
        await expectErased(place, saved, { index: 2 });
        for (const file of [...aside, unfinished, ...catalogs]) expect(fs.existsSync(file)).toBe(false);
      }),
    );

    it(
      "that is damaged",
      at(async (place) => {
        const saved = await prepare(place);
        const gone = saved[4] as Saved;
        fs.appendFileSync(blobOf(place, gone), "and more");
        await within(place, async (store) => {
          expect((await refusalOf(store.loadCheckpoint({ checkpointId: gone.checkpointId }))).code).toBe("CHECKPOINT_CORRUPT");
        });
        expect(fs.existsSync(blobOf(place, gone, "quarantine/contexts"))).toBe(true);
        await expectErased(place, saved, { index: 4 });
        expect(filesBelow(path.join(place.dataDir, "quarantine"))).toEqual([]);
      }),
    );

    it(
      "in damaged session facts",
      at(async (place) => {
        const saved = await prepare(place);
        const facts = path.join(place.dataDir, "contexts", SESSION, "metadata.json");
        const aside = [`${facts}.damaged`, `${facts}.damaged.1`];
        for (const file of aside) fs.writeFileSync(file, `{ "pins": ["key-${saved[2]?.words[0]}"] `);
        await expectErased(place, saved, { index: 2 });
        for (const file of aside) expect(fs.existsSync(file)).toBe(false);
      }),
    );

    it(
      "and names quarantined files of the session, which are erased with the session",
      at(async (place) => {
        const saved = await prepare(place);
        const [damaged, gone] = [saved[0] as Saved, saved[2] as Saved];
        fs.appendFileSync(blobOf(place, damaged), "and more");
        await within(place, async (store) => {
          await refusalOf(store.loadCheckpoint({ checkpointId: damaged.checkpointId }));
        });
        await unlinked(place, damaged);
        await within(place, async (store) => {
          const aside = blobOf(place, damaged, "quarantine/contexts");
          expect(fs.existsSync(aside)).toBe(true);
          const { copies } = await store.deleteCheckpoint({ checkpointId: gone.checkpointId });
          expect(copies.quarantineFiles).toEqual([aside]);
          const { left, copies: after } = await store.erase({ sessionId: SESSION });
          expect({ left, files: after.quarantineFiles }).toEqual({ left: [], files: [] });
        });
        expect(filesBelow(path.join(place.dataDir, "quarantine"))).toEqual([]);
        expect(
          tracesOf(
            place.dataDir,
            saved.flatMap(({ words }) => words),
          ),
        ).toEqual([]);
      }),
    );

    it(
      "and erasing a session removes its labels too",
      at(async (place) => {
        const saved = await prepare(place);
        const label = newWord();
        await within(place, async (store) => {
          const other = await save(store, "other");
          await store.tagSession({ sessionId: SESSION, add: [`tag-${label}`, "keep"] });
          await store.markCritical({ sessionId: SESSION, contextKey: `key-${saved[4]?.words[0]}` });
          await store.cleanUp({ checkpointIds: idsOf(saved.slice(0, 2)), includeKept: true });
          expect(await store.erase({ sessionId: SESSION, sparesKept: true })).toMatchObject({ erased: [], left: [] });
          const planned = await store.erase({ sessionId: SESSION, dryRun: true });
          expect(planned.erased.map(({ checkpointId }) => checkpointId).toSorted()).toEqual(idsOf(saved).toSorted());
          const { erased, left } = await store.erase({ sessionId: SESSION });
          expect({ erased, left }).toEqual({ erased: planned.erased, left: [] });
          expect(tracesOf(place.dataDir, [label, ...saved.flatMap(({ words }) => words)])).toEqual([]);
          await expectWhole(store, [other]);
          expect((await store.listSessions({ project: null })).sessions.map(({ id }) => id)).toEqual(["other"]);
          expect((await refusalOf(store.erase({ sessionId: SESSION }))).code).toBe("SESSION_NOT_FOUND");
          expect((await refusalOf(store.erase({}))).code).toBe("INVALID_INPUT");
          // The id can be used again.
          const again = await save(store);
          await expectWhole(store, [other, again]);
        });
      }),
    );
  },
);

describe("erasing", () => {
  /** Checks that erasures are finished when the store opens, even if only for a moment. */
  const expectFinished = async (place: Place, saved: readonly Saved[], gone: Saved): Promise<void> => {
    const finish = async (store: Workrail): Promise<void> => {
      expect(tracesOf(place.dataDir, gone.words)).toEqual([]);
      await expectWhole(
        store,
        saved.filter((each) => each !== gone),
      );
    };
    await within(place, finish, { ...OPEN, upkeep: false });
  };

  /** Records the operations on a file. */
  const noting = (steps: string[], file: string): FileSystem => ({
    ...nodeFileSystem,
    overwrite: (name) => {
      if (name === file) steps.push("overwrite");
      return nodeFileSystem.overwrite(name);
    },
    unlink: (name) => {
      if (name === file) steps.push("unlink");
      nodeFileSystem.unlink(name);
    },
    unlinkSoon: async (name) => {
      if (name === file) steps.push("unlink");
      await nodeFileSystem.unlinkSoon(name);
    },
  });

  describe("happens when a user removes checkpoints for good:", () => {
    const WAYS: readonly (readonly [string, (store: Workrail, checkpointId: string) => Promise<{ readonly left: readonly string[] }>])[] = [
      [
        "by emptying the trash",
        async (store, checkpointId) => {
          await store.cleanUp({ checkpointIds: [checkpointId] });
          return store.emptyTrash();
        },
      ],
      [
        "by emptying the trash of the session",
        async (store, checkpointId) => {
          await store.cleanUp({ checkpointIds: [checkpointId] });
          return store.emptyTrash({ sessionId: SESSION });
        },
      ],
      ["by a permanent clean-up", (store, checkpointId) => store.cleanUp({ checkpointIds: [checkpointId], permanently: true })],
      ["by a permanent clean-up by number", (store) => store.cleanUp({ sessionId: SESSION, keepLast: 2, permanently: true })],
      ["by erasing", (store, checkpointId) => store.erase({ checkpointIds: [checkpointId] })],
    ];

    it.each(WAYS)("%s overwrites the file before it is unlinked, and removes all other data", (_, remove) =>
      onDisk(async (place) => {
        const saved = await prepare(place);
        const gone = saved[2] as Saved;
        const steps: string[] = [];
        await within(
          place,
          async (store) => {
            expect((await remove(store, gone.checkpointId)).left).toEqual([]);
            expect(tracesOf(place.dataDir, gone.words)).toEqual([]);
            const ids = (await store.findCheckpoints({ project: null })).checkpoints.map(({ id }) => id);
            const others = saved.filter(({ checkpointId }) => ids.includes(checkpointId));
            expect(others.length).toBeGreaterThan(1);
            await expectWhole(store, others);
          },
          { adapters: { storage: ({ dataDir }) => openSqliteFs({ dataDir, fs: noting(steps, blobOf(place, gone)) }) } },
        );
        expect(steps).toEqual(["overwrite", "unlink"]);
      }),
    );

    it("pruning only unlinks, because it follows saves", () =>
      onDisk(async (place) => {
        const steps: string[] = [];
        const storage = ({ dataDir }: { readonly dataDir: string }): Promise<Storage> =>
          openSqliteFs({ dataDir, fs: noting(steps, path.join(place.dataDir, "contexts", SESSION, "pruned.json.gz")) });
        await using store = await place.open({ adapters: { storage }, limits: { maxCheckpoints: 1 } });
        await store.saveCheckpoint({ sessionId: SESSION, checkpointId: "pruned", context: { step: 1 } });
        await store.saveCheckpoint({ sessionId: SESSION, context: { step: 2 } });
        await vi.waitFor(() => expect(new Set(steps)).toEqual(new Set(["unlink"])), { timeout: 60_000, interval: 50 });
      }));
  });

  it("is finished by the next opening of the store", () =>
    onDisk(async (place) => {
      const saved = await prepare(place);
      const gone = saved[2] as Saved;
      await within(place, async (store) => {
        // A backup delays removals until it is done.
        await holdRemovals(place, 60_000);
        const { left } = await store.deleteCheckpoint({ checkpointId: gone.checkpointId });
        expect(left).toEqual([expect.stringContaining("Files stay while they are copied")]);
        expect((await refusalOf(store.loadCheckpoint({ checkpointId: gone.checkpointId }))).details["reason"]).toBe("erased");
        expect(fs.existsSync(blobOf(place, gone))).toBe(true);
        await holdRemovals(place, -1);
      });
      await expectFinished(place, saved, gone);
    }));

  it("waits for a reader of the WAL, and reports the remaining data after a timeout", () =>
    onDisk(
      async (place) => {
        const saved = await prepare(place);
        const gone = saved[4] as Saved;
        await within(place, async (store) => {
          await save(store, "other");
          const read = `database.exec("BEGIN; SELECT * FROM checkpoint"); console.log("reads"); setInterval(() => {}, 1000)`;
          const reader = spawn(process.execPath, ["-e", `${database(place)}; ${read}`]);
          try {
            await once(reader.stdout, "data");
            const { left } = await store.deleteCheckpoint({ checkpointId: gone.checkpointId });
            expect(left).toEqual(["The log of the catalog is being read by another process."]);
          } finally {
            reader.kill();
            await once(reader, "exit");
          }
        });
        await expectFinished(place, saved, gone);
      },
      { WORKRAIL_LOCK_TIMEOUT_MS: "200" },
    ));

  it("removes many checkpoints from large tables with split pages and copied rows", () =>
    onDisk(async (place) => {
      const all: { readonly checkpointId: string; readonly tag: string }[] = [];
      await within(place, async (store) => {
        for (let step = 0; step < MANY; step++) {
          const [sessionId, tag] = [newWord(), newWord() + newWord()];
          const { checkpointId } = await store.saveCheckpoint({ sessionId, context: { step } });
          await store.tagSession({ sessionId, add: [tag] });
          all.push({ checkpointId, tag });
        }
        // Sessions are erased with their checkpoints; their rows are stored in the order of their names.
        const gone = all.filter((_, index) => index % 2 === 0);
        const { left } = await store.erase({ checkpointIds: gone.map(({ checkpointId }) => checkpointId) });
        expect(left).toEqual([]);
        // The first 16 bytes of each are sufficient, and faster to search for.
        const beginnings = gone.map(({ tag }) => tag.slice(0, 16));
        expect(tracesOf(place.dataDir, beginnings)).toEqual([]);
        expect((await store.findCheckpoints({ project: null, limit: 1 })).total).toBe(MANY / 2);
      });
    }));

  it("lists known copies, and leaves them", () =>
    onDisk(async (place) => {
      const [first, second] = (await prepare(place)) as [Saved, Saved];
      const backup = `${place.dataDir}-backup`;
      await within(place, async (store) => {
        await store.backup(backup);
        const { file } = await store.exportSession(SESSION);
        const { copies } = await store.deleteCheckpoint({ checkpointId: first.checkpointId });
        expect(copies).toMatchObject({
          backups: [expect.any(String)],
          exports: [expect.any(String)],
          exportFiles: [file],
          replacedStores: [],
        });
        expect(tracesOf(place.dataDir, first.words)).toEqual([file]);
        expect(tracesOf(backup, first.words)).not.toEqual([]);
        const other = await save(store, "other");
        expect((await store.deleteCheckpoint({ checkpointId: other.checkpointId })).copies).toMatchObject({ exports: [], exportFiles: [] });
      });
      expect(second.words).not.toEqual(first.words);
    }));

  it.each<[string, Record<string, string>]>([
    ["in clear", {}],
    ["sealed", { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: randomBytes(32).toString("base64") }],
  ])("works although files are in the place of directories: a store %s", (_kind, env) =>
    onDisk(async (place) => {
      await using store = await place.open();
      await store.saveCheckpoint({ sessionId: "other", context: { step: 1 } });
      const { checkpointId } = await store.saveCheckpoint({ sessionId: SESSION, context: { step: 1 } });
      await store.saveCheckpoint({ sessionId: SESSION, context: { step: 2 } });
      for (const name of ["exports", "quarantine"]) fs.writeFileSync(path.join(place.dataDir, name), "a stray file");
      const copies = { exportFiles: [], quarantineFiles: [] };
      expect(await store.deleteCheckpoint({ checkpointId })).toMatchObject({ erased: [{ checkpointId }], left: [], copies });
      expect(await store.erase({ sessionId: SESSION })).toMatchObject({ erased: [{ sessionId: SESSION }], left: [], copies });
      expect(fs.existsSync(path.join(place.dataDir, "contexts", SESSION, "session.key"))).toBe(false);
      expect((await store.findCheckpoints({ project: null })).checkpoints).toMatchObject([{ sessionId: "other" }]);
    }, env),
  );

  it("leaves a row in the audit log without erased data", () =>
    onDisk(async (place) => {
      const saved = await prepare(place);
      await within(place, (store) => store.deleteCheckpoint({ checkpointId: saved[0]?.checkpointId ?? "", agentId: "me" }));
      expect(readAudit(place.dataDir)).toContainEqual({ action: "delete", checkpoint_id: saved[0]?.checkpointId });
    }));

  it("of checkpoints only in memory removes them there", () =>
    onDisk(async (place) => {
      fs.writeFileSync(place.dataDir, "no directory");
      const store = await place.open({ fallback: "memory", adapters: { repeat: () => () => {} } });
      const refusal = await refusalOf(save(store));
      const checkpointId = String(refusal.details["checkpointId"]);
      expect((await store.loadCheckpoint({ checkpointId })).checkpointId).toBe(checkpointId);
      expect(await store.deleteCheckpoint({ checkpointId })).toMatchObject({ erased: [{ checkpointId }], left: [] });
      expect((await store.findCheckpoints({ project: null })).checkpoints).toEqual([]);
      await store.close();
    }));
});

describe("killed at any file operation of an erasure", () => {
  const OPENERS = {
    SQLite: (dataDir: string, files: FileSystem) => openSqliteFs({ dataDir, fs: files, lockWaitMs: 500 }),
    files: (dataDir: string, files: FileSystem) => openFilesStorage({ dataDir, fs: files, lockWaitMs: 500 }),
  };

  it.each(Object.entries(OPENERS))(
    "with the catalog in %s, the checkpoint is there whole, or whoever opens the store next finishes",
    (_, open) =>
      onDisk(async (place) => {
        const plain = { adapters: { storage: () => open(place.dataDir, nodeFileSystem), embedder } };
        const saved = await prepareAnew(place, plain);
        const gone = saved[2] as Saved;
        const before = `${place.dataDir}-before`;
        fs.cpSync(place.dataDir, before, { recursive: true });
        const outcomes = new Set<string>();
        for (let [at, struck] = [1, true]; struck; at += STRIDE) {
          fs.rmSync(place.dataDir, { recursive: true });
          fs.cpSync(before, place.dataDir, { recursive: true });
          struck = await killedAt(place, gone, { at, open: (files) => open(place.dataDir, files) });
          if (struck) tally({ tries: 1 });
          outcomes.add(await within(place, (store) => eitherWay(store, place, { saved, gone }), plain));
        }
        expect([...outcomes].toSorted()).toEqual(["erased", "there"]);
      }),
  );

  interface Killing {
    readonly at: number;
    readonly open: (files: FileSystem) => Promise<Storage>;
  }

  /** Tells whether the erasure reached that operation. */
  async function killedAt(place: Place, gone: Saved, { at, open }: Killing): Promise<boolean> {
    const faults = new Faults();
    const store = await place.open({ adapters: { storage: () => open(withFaults(nodeFileSystem, faults, { throws: true })), embedder } });
    faults.arm({ kind: "crashes", at, persistent: true, code: "EIO" });
    await store.deleteCheckpoint({ checkpointId: gone.checkpointId }).catch(() => {});
    const { struck } = faults;
    await store.close().catch(() => {});
    faults.disarm();
    return struck;
  }

  interface Prepared {
    readonly saved: readonly Saved[];
    readonly gone: Saved;
  }

  async function eitherWay(store: Workrail, place: Place, { saved, gone }: Prepared): Promise<"there" | "erased"> {
    const isThere = await store.loadCheckpoint({ checkpointId: gone.checkpointId }).then(
      () => true,
      (error: unknown) => !isWorkrailError(error) || error.code !== "CHECKPOINT_NOT_FOUND",
    );
    const traces = (): readonly string[] => (isThere ? [] : tracesOf(place.dataDir, gone.words));
    await vi.waitFor(() => expect(traces()).toEqual([]), { timeout: 60_000, interval: 50 });
    const whole = isThere ? saved : saved.filter((each) => each !== gone);
    await expectWhole(store, whole);
    return isThere ? "there" : "erased";
  }
});

describe("in a sealed store", () => {
  const sealed = { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") };

  it("removes one checkpoint's file, and a session with its key", () =>
    onDisk(async (place) => {
      const saved = await prepare(place, {});
      const key = path.join(place.dataDir, "contexts", SESSION, "session.key");
      const before = fs.readFileSync(key);
      await expectErased(place, saved, { index: 1, options: {} });
      expect(fs.existsSync(blobOf(place, saved[1] as Saved))).toBe(false);
      expect(fs.readFileSync(key)).toEqual(before);
      await using other = await place.open({});
      const kept = await save(other, "other");
      await within(
        place,
        async (store) => {
          expect((await store.erase({ sessionId: SESSION })).left).toEqual([]);
          expect(fs.readdirSync(path.dirname(key))).toEqual([]);
        },
        {},
      );
      // The process with the cached key creates a new one, and reads data that others seal with it.
      const again = await save(other);
      expect(fs.readFileSync(key)).not.toEqual(before);
      await within(place, async (store) => expectWhole(store, [kept, again, await save(store)]), {});
      await expectWhole(other, [kept, again]);
    }, sealed));
});

/** Holds removals as a process that copies the store does. */
async function holdRemovals(place: Place, forMs: number): Promise<void> {
  const sql = `INSERT OR REPLACE INTO state VALUES ('hold:test', ${Date.now() + forMs})`;
  await promisify(execFile)(process.execPath, ["-e", `${database(place)}; database.exec(${JSON.stringify(sql)})`]);
}

/** Opens the catalog in another process: within one process SQLite's locks do not exclude each other. */
function database({ dataDir }: Place): string {
  const file = JSON.stringify(path.join(dataDir, "workrail.db"));
  return `const database = new (require("node:sqlite").DatabaseSync)(${file}, { timeout: 5000 })`;
}
