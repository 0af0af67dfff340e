import fs from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  answered,
  type BlobStore,
  type CatalogPort,
  type CheckpointRow,
  decided,
  type Facts,
  type Locking,
  MemoryTables,
  type Read,
  type Reads,
  type RecoveryPort,
  type RowChange,
  type Rule,
  type Storage,
} from "@workrail/core";
// The adapter of the example is sound, and small enough to be broken in many ways.
import { openFolderStorage } from "../../../examples/custom-storage-adapter/src/open-folder-storage.ts";
import { type Faults, type StorageHarness, withFaults } from "../src/harness.ts";

/** A storage with one fault, and the tests that must detect it. */
export interface BrokenStorage {
  readonly fault: string;
  /** Names of tests, as `group > subject > test`. */
  readonly caughtBy: readonly string[];
  breaks(storage: Storage, place: string): Promise<Storage> | Storage;
}

type Ports = { catalog?: Partial<CatalogPort>; blobs?: Partial<BlobStore>; locking?: Partial<Locking>; recovery?: Partial<RecoveryPort> };

/** Returns the storage with other answers, for queries and for rules. */
function answering(storage: Storage, spoil: (read: Read, answer: unknown) => unknown): Storage {
  const spoilAll = (reads: Reads, facts: Facts<Reads>): Facts<Reads> => {
    return Object.fromEntries(Object.entries(reads).map(([name, read]) => [name, spoil(read, facts[name])])) as Facts<Reads>;
  };
  const spoilt = <Out>(rule: Rule<Out>): Rule<Out> => ({
    ...rule,
    decide(facts) {
      const next = rule.decide(spoilAll(rule.reads, facts));
      return "reads" in next ? spoilt(next) : next;
    },
  });
  const read: CatalogPort["read"] = async (reads) => spoilAll(reads, await storage.catalog.read(reads)) as Facts<typeof reads>;
  return replacing(storage, { catalog: { read, change: (rule) => storage.catalog.change(spoilt(rule)) } });
}

/** Returns the storage with other rows in its decisions. */
function writing(storage: Storage, spoil: (rows: readonly RowChange[]) => readonly RowChange[]): Storage {
  const spoilt = <Out>(rule: Rule<Out>): Rule<Out> => ({
    ...rule,
    decide(facts) {
      const next = rule.decide(facts);
      return "reads" in next ? spoilt(next) : { ...next, rows: spoil(next.rows) };
    },
  });
  return replacing(storage, { catalog: { change: (rule) => storage.catalog.change(spoilt(rule)) } });
}

/** Returns the storage with some methods of its ports replaced. */
function replacing(storage: Storage, ports: Ports, parts: Partial<Storage> = {}): Storage {
  const over = <T extends object>(port: T, methods: Partial<T> = {}): T =>
    new Proxy(port, {
      get(target, name) {
        const member: unknown = Reflect.get(name in methods ? methods : target, name);
        return typeof member === "function" ? (...args: readonly unknown[]) => Reflect.apply(member, target, args) : member;
      },
    });
  return {
    durability: storage.durability,
    mode: storage.mode,
    warnings: storage.warnings,
    catalog: over(storage.catalog, ports.catalog),
    blobs: over(storage.blobs, ports.blobs),
    locking: over(storage.locking, ports.locking),
    recovery: over(storage.recovery, ports.recovery),
    close: () => storage.close(),
    ...parts,
  };
}

const soon = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const BROKEN_STORAGES: Readonly<Record<string, BrokenStorage>> = {
  "loses-last-append": {
    fault: "loses the last append when it is closed",
    caughtBy: ["durability > keeps everything when it is reopened"],
    breaks(storage, place) {
      const file = path.join(place, "catalog");
      let before: Buffer | undefined;
      return replacing(
        storage,
        {
          catalog: {
            async change(rule) {
              before = await fs.readFile(file);
              return storage.catalog.change(rule);
            },
          },
        },
        {
          async close() {
            if (before !== undefined) await fs.writeFile(file, before);
          },
        },
      );
    },
  },
  "acknowledges-too-early": {
    fault: "answers before the change is on the disk",
    caughtBy: ["durability > a process killed at a random moment > loses no acknowledged save, 3 times"],
    breaks(storage) {
      let last: Promise<unknown> = Promise.resolve();
      const ahead = new MemoryTables(() => true);
      return replacing(storage, {
        catalog: {
          read: async (reads) => answered(reads, (read) => ahead.answer(read)),
          async change(rule) {
            // Longer than a busy machine takes to kill the process.
            last = last.then(() => soon(300)).then(() => storage.catalog.change(rule));
            const decision = decided(rule, { answer: (read) => ahead.answer(read), keepsFacts: false });
            ahead.apply(decision);
            return decision.outcome;
          },
        },
      });
    },
  },
  "aliases-bytes": {
    fault: "hands out the bytes it keeps",
    caughtBy: ["blob store > is not affected by later changes to given or returned buffers"],
    breaks(storage) {
      const kept = new Map<string, Uint8Array>();
      return replacing(storage, {
        blobs: {
          async put(key, bytes, options) {
            kept.set(storage.blobs.refOf(key), bytes);
            return storage.blobs.put(key, bytes, options);
          },
          get: async (ref) => kept.get(ref) ?? storage.blobs.get(ref),
        },
      });
    },
  },
  "half-applies": {
    fault: "leaves the rows of sessions out of a change",
    caughtBy: ["catalog > holds exactly the decided rows, after each change of 3 random histories"],
    breaks: (storage) => writing(storage, (rows) => rows.filter(({ table }) => table !== "session")),
  },
  "swaps-blindly": {
    fault: "decides by facts that were read before its turn",
    caughtBy: ["catalog > concurrent changes, by one opener > let one append win when all expect the same head"],
    breaks: (storage) =>
      replacing(storage, {
        catalog: {
          async change(rule) {
            const facts = await storage.catalog.read(rule.reads);
            await soon(20);
            return storage.catalog.change({ ...rule, reads: {}, decide: () => rule.decide(facts) });
          },
        },
      }),
  },
  "shortens-shields": {
    fault: "does not store the shields of checkpoints",
    caughtBy: [
      "catalog > holds exactly the decided rows, after each change of 3 random histories",
      "use cases > handles > resolve to the same context until they expire, despite saves, compaction and clean-up",
    ],
    breaks: (storage) => writing(storage, (rows) => rows.map(withoutShield)),
  },
  "forgets-shields": {
    fault: "does not remember shields beside the catalog",
    caughtBy: ["recovery > rebuilding an intact catalog > keeps handles valid"],
    breaks: (storage) =>
      replacing(storage, {
        recovery: {
          async *sessionFacts() {
            for await (const facts of storage.recovery.sessionFacts()) yield { ...facts, shields: [] };
          },
        },
      }),
  },
  "forgets-tombstones": {
    fault: "does not remember what was removed",
    caughtBy: ["recovery > rebuilding an intact catalog > does not restore removed checkpoints whose blobs still exist"],
    breaks: (storage) =>
      replacing(storage, {
        recovery: {
          async *sessionFacts() {
            for await (const facts of storage.recovery.sessionFacts()) yield { ...facts, tombstones: [], oldestLive: null };
          },
        },
      }),
  },
  "orders-by-time": {
    fault: "orders checkpoints by the clock, not the sequence",
    caughtBy: ["catalog > reads > of checkpoints", "catalog > reads > of checkpoints by sessionId"],
    breaks(storage) {
      const all = (read: Read): Read => (read.of === "checkpoints" && read.order === "newest" ? { ...read, limit: 1_000 } : read);
      const byTime = (left: CheckpointRow, right: CheckpointRow): number =>
        right.record.createdAt.getTime() - left.record.createdAt.getTime();
      const read: CatalogPort["read"] = async (reads) => {
        const asked = Object.fromEntries(Object.entries(reads).map(([name, each]) => [name, all(each)])) as typeof reads;
        const facts: Record<string, unknown> = { ...(await storage.catalog.read(asked)) };
        for (const [name, each] of Object.entries(reads)) {
          if (each.of !== "checkpoints" || each.order !== "newest") continue;
          facts[name] = [...(facts[name] as readonly CheckpointRow[])].sort(byTime).slice(0, each.limit);
        }
        return facts as Facts<typeof reads>;
      };
      return replacing(storage, { catalog: { read } });
    },
  },
  "mends-text": {
    fault: "replaces lone surrogates, as databases do",
    caughtBy: ["catalog > holds exactly the decided rows, after each change of 3 random histories"],
    breaks: (storage) => writing(storage, (rows) => rows.map((row) => ({ ...row, now: mended(row.now) }) as RowChange)),
  },
  overwrites: {
    fault: "overwrites a blob that it should leave alone",
    caughtBy: [
      "blob store > with ifAbsent > does not change an existing blob",
      "blob store > with ifAbsent > lets one of many concurrent puts win, with its bytes",
    ],
    breaks: (storage) => replacing(storage, { blobs: { put: (key, bytes) => storage.blobs.put(key, bytes) } }),
  },
  "removes-needed": {
    fault: "does not find the checkpoints that need a blob",
    caughtBy: ["catalog > a change > that removes a blob runs before or after the append that needs it"],
    breaks: (storage) => answering(storage, (read, answer) => (read.of === "checkpoints" && read.where.blobs !== undefined ? [] : answer)),
  },
  "keeps-no-order": {
    fault: "starts each piece of work at once",
    caughtBy: [
      "locking > runs the work of a session one call at a time, in the order of the calls",
      "locking > runs exclusive work after earlier work and before later work",
    ],
    breaks: (storage) =>
      replacing(storage, { locking: { inOrder: (_, work) => work(), shared: (work) => work(), exclusively: (work) => work() } }),
  },
  "writes-in-place": {
    fault: "writes blobs under their final name, bit by bit",
    caughtBy: ["blob store > shows concurrent readers the whole blob or nothing"],
    breaks: (storage, place) =>
      replacing(storage, {
        blobs: {
          async put(key, bytes) {
            const ref = storage.blobs.refOf(key);
            const handle = await (filesOf.get(place) ?? fs).open(path.join(place, ref), "w");
            for (let done = 0; done < bytes.length; done += 100_000) {
              await handle.write(bytes.subarray(done, done + 100_000));
              await soon(1); // Slow enough for a reader to see a part, however busy the machine is.
            }
            await handle.close();
            return ref;
          },
        },
      }),
  },
  "mixes-up-blobs": {
    fault: "answers with another blob of the same length",
    caughtBy: ["use cases > restore equals save > for 60 contexts of any shape"],
    breaks(storage) {
      const byLength = new Map<number, Uint8Array>();
      return replacing(storage, {
        blobs: {
          async get(ref) {
            const bytes = await storage.blobs.get(ref);
            if (bytes === undefined) return undefined;
            if (!byLength.has(bytes.length)) byLength.set(bytes.length, bytes);
            return byLength.get(bytes.length);
          },
        },
      });
    },
  },
};

function withoutShield(row: RowChange): RowChange {
  if (row.table !== "checkpoint" || row.now === undefined) return row;
  return { ...row, now: { ...row.now, record: { ...row.now.record, shieldedUntil: undefined } } };
}

/** Returns a value with every text well-formed. */
function mended(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(mended);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key.toWellFormed(), mended(each)]));
}

/** File operations with which a place was opened; they may be wrapped with faults. */
const filesOf = new Map<string, typeof fs>();

export function harnessOf(key: string): StorageHarness {
  const broken = BROKEN_STORAGES[key];
  const open = async (place: string, files = fs): Promise<Storage> => {
    filesOf.set(place, files);
    const storage = await openFolderStorage(place, files);
    return broken === undefined ? storage : broken.breaks(storage, place);
  };
  return {
    name: key,
    module: `${import.meta.url}?${key}`,
    capabilities: { persistent: true, manyOpeners: false, seesBlobs: true },
    create: () => fs.mkdtemp(path.join(tmpdir(), "broken-storage-")),
    open: (place) => open(place),
    openWithFaults: (place, faults: Faults) => open(place, withFaults(fs, faults)),
    destroy: (place) => fs.rm(place, { recursive: true }),
  };
}

/** Harness for child processes, which import this module with the key of a storage as its query. */
export const harness: StorageHarness = harnessOf(new URL(import.meta.url).search.slice(1));
