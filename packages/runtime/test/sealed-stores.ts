import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { constants, gunzipSync } from "node:zlib";
import { gzipCodec } from "@workrail/codecs";
import { DEFAULT_LIMITS, type KeyFiles, type Storage, sumUsage } from "@workrail/core";
import { openFilesStorage } from "@workrail/files-catalog";
import { nodeFileSystem } from "@workrail/sqlite-fs";
import { type Faults, faultError } from "@workrail/storage-conformance/harness";
import { loadSqliteDriver } from "../../sqlite-fs/src/load-sqlite-driver.ts";
import { openWithDriver } from "../../sqlite-fs/src/open-sqlite-fs.ts";
import type { OpenDatabase, SqliteStatement, SqliteValue } from "../../sqlite-fs/src/sqlite-driver.ts";
import type { Environment } from "../src/config/default-data-dir.ts";
import type { Adapters } from "../src/container.ts";
import { nodeDigests, systemClock } from "../src/environment.ts";
import { openedStore, type OpenedStore } from "./opened-store.ts";
import type { ConversionPorts } from "../src/sealing/convert.ts";
import type { SealingSettings } from "../src/sealing/sealing-settings.ts";
import { readSettings } from "../src/settings.ts";

/** Part of every text that people and agents write. Must not be found in any file. */
export const PLANTED = "planted-7q3z9k2v5x-secret";

export const WISH: SealingSettings = {
  encryption: "enabled",
  key: randomBytes(32).toString("base64"),
  keyFile: undefined,
  passphrase: undefined,
  recoveryKey: undefined,
  allowPlaintextFiles: false,
};
/** For a store that is not converted, or stays unencrypted. */
export const NO_WISH: SealingSettings = { ...WISH, encryption: undefined };

/** Adapters that can be sealed and store data in files. With `faults`, a process may also die at a write of SQLite. */
export const OPENERS = {
  "sqlite-fs": (dataDir: string, fs = nodeFileSystem, faults?: Faults): Promise<Storage> => {
    const driver = loadSqliteDriver();
    const parts = faults === undefined ? {} : { openDatabase: endingWith(driver.open, faults) };
    return openWithDriver({ dataDir, lockWaitMs: 500, fs }, driver, parts);
  },
  files: (dataDir: string, fs = nodeFileSystem, _faults?: Faults): Promise<Storage> => openFilesStorage({ dataDir, lockWaitMs: 500, fs }),
};

/** Statements that change the disk. */
const WRITES = /^(?:BEGIN IMMEDIATE|COMMIT|VACUUM|PRAGMA wal_checkpoint)/u;

/** Wraps a driver so that its transactions and other writes count as file operations. */
function endingWith(open: OpenDatabase, faults: Faults): OpenDatabase {
  const strike = (sql: string): void => {
    const plan = WRITES.test(sql) ? faults.strike(false) : undefined;
    if (plan !== undefined) throw faultError(plan, sql);
  };
  const struckBefore = (sql: string, statement: SqliteStatement): SqliteStatement => {
    const before = <R>(call: (...given: readonly SqliteValue[]) => R) => {
      return (...given: readonly SqliteValue[]): R => {
        strike(sql);
        return call(...given);
      };
    };
    return {
      run: before((...given) => statement.run(...given)),
      get: before((...given) => statement.get(...given)),
      all: before((...given) => statement.all(...given)),
    };
  };
  return (file, busyMs) => {
    const database = open(file, busyMs);
    return {
      exec(sql) {
        strike(sql);
        database.exec(sql);
      },
      prepare: (sql) => struckBefore(sql, database.prepare(sql)),
      close: () => database.close(),
    };
  };
}
export type OpenRaw = (typeof OPENERS)[keyof typeof OPENERS];

export function portsOf(dataDir: string): ConversionPorts {
  return { codec: gzipCodec, digests: nodeDigests, clock: systemClock, limits: DEFAULT_LIMITS, dataDir };
}

export async function openWith(
  openRaw: OpenRaw,
  dataDir: string,
  { sealing, env = {}, ...adapters }: Omit<Adapters, "storage"> & { readonly sealing: SealingSettings; readonly env?: Environment },
): Promise<OpenedStore> {
  const settings = { ...readSettings(env, { dataDir }), sealing };
  return openedStore({ settings, adapters: { ...adapters, storage: () => openRaw(dataDir) }, project: `/work/${PLANTED}` });
}

/** Runs `work` on the raw storage, which is not opened otherwise. */
export async function withRaw<T>(openRaw: OpenRaw, dataDir: string, work: (raw: Storage, keyFiles: KeyFiles) => Promise<T>): Promise<T> {
  const raw = await openRaw(dataDir);
  try {
    return await work(raw, raw.keyFiles as KeyFiles);
  } finally {
    await raw.close();
  }
}

/** @returns the id of the last checkpoint. */
export async function saveSome(store: OpenedStore, count: number, sessionId = "s"): Promise<string> {
  let id = "";
  for (let step = 0; step < count; step++) {
    const saved = await store.saveCheckpoint({
      sessionId,
      context: { [`${PLANTED}-key`]: `${PLANTED} ${step}`, filler: Array.from({ length: 50 }, (_, at) => `line ${at} of ${PLANTED}`) },
      metadata: { name: `${PLANTED} name ${step}`, tags: [`${PLANTED}-tag`], attributes: { [`${PLANTED}-more`]: { note: PLANTED } } },
      agentId: `agent-of-${PLANTED}`,
      workflowId: `workflow-of-${PLANTED}`,
      phase: PLANTED,
    });
    id = saved.checkpointId;
  }
  return id;
}

/** Returns everything known of a store, except the times of use. */
export async function describeStore(store: OpenedStore): Promise<unknown> {
  const { checkpoints } = await store.findCheckpoints({ project: null, sessionId: "s", limit: 100 });
  const contexts = await Promise.all(checkpoints.map(async ({ id }) => (await store.loadCheckpoint({ checkpointId: id })).context));
  return {
    checkpoints: checkpoints.map((checkpoint) => ({ ...checkpoint, lastAccessedAt: undefined })),
    contexts,
    trash: await store.listTrash(),
    usage: (await sumUsage(store.catalog)).checkpoints,
    auditFindings: (await store.verifyAuditLog()).findings,
  };
}

export function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** The part of `PLANTED` that no tokenizer of an index splits. Long enough not to occur in a digest, id or sealed byte by chance. */
const CORE = "7q3z9k2v5x";

/** Returns files and directories whose name or bytes, raw or decompressed as far as possible, contain a text in any case. */
export function placesOf(text: string, directory: string): readonly string[] {
  const core = (text.includes(CORE) ? CORE : text).toLowerCase();
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).map((name) => path.join(directory, name));
  return names.filter((place) => {
    if (place.slice(directory.length).toLowerCase().includes(core)) return true;
    if (!statSync(place).isFile()) return false;
    const bytes = readFileSync(place);
    return [bytes, unpacked(bytes)].some((each) => each.toString("latin1").toLowerCase().includes(core));
  });
}

/** Returns the files that contain these bytes or their hexadecimal digits, raw or decompressed. */
export function holdDigest(digest: Buffer, directory: string): readonly string[] {
  return filesBelow(directory).filter((file) => {
    const bytes = readFileSync(file);
    return [bytes, unpacked(bytes)].some((each) => [digest, digest.toString("hex")].some((text) => each.includes(text)));
  });
}

/** Decompresses a truncated file as far as possible. */
function unpacked(bytes: Buffer): Buffer {
  try {
    return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }) : Buffer.alloc(0);
  } catch {
    return Buffer.alloc(0);
  }
}
