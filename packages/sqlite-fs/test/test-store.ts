import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  BackgroundQueue,
  type BackupTarget,
  type Clock,
  type Codec,
  type CheckpointId,
  collectGarbage,
  compactSession,
  type Context,
  DEFAULT_LIMITS,
  type GarbageReport,
  isWorkrailError,
  type LoadedCheckpoint,
  type LoadInput,
  loadCheckpoint,
  pinEntry,
  type PinResult,
  rebuildCatalog,
  type RebuildReport,
  recoverCatalog,
  type RepairOptions,
  type RepairReport,
  repairStore,
  saveCheckpoint,
  type SaveInput,
  type SaveResult,
  type SessionId,
  type Storage,
  type VerifyReport,
  verifyStore,
  WorkrailError,
} from "@workrail/core";
import { type BackupOptions, type BackupReport, backupStore } from "@workrail/transfer";
import { classifierOf } from "@workrail/storage-conformance/builders";
import { randomIds as ids, sha256, storageInUse, type StorageInUse } from "@workrail/storage-conformance/harness";
import { type CatalogParts, type SqliteFsOptions, openWithDriver } from "../src/open-sqlite-fs.ts";
import { driver } from "./open-database.ts";
import { silentLog } from "../src/silent-log.ts";

const ignore = (): void => undefined;

export const SESSION: SessionId = "session" as SessionId;

/** Options for a store beside other savers: on a slow disk it waits long and must not give up. */
export const PATIENT = { lockWaitMs: 60_000 };

const codec: Codec = {
  id: "gzip",
  encode: async (bytes) => gzipSync(bytes, { level: 1 }),
  async decode(bytes) {
    try {
      return gunzipSync(bytes);
    } catch (cause) {
      throw new WorkrailError("CHECKPOINT_CORRUPT", "The bytes are no gzip.", { cause });
    }
  },
};

const clock: Clock = { now: () => new Date() };

export interface TestStoreOptions extends Omit<SqliteFsOptions, "dataDir" | "driver">, CatalogParts {
  readonly maxCheckpoints?: number;
  /** Wraps the storage. Default: nothing. */
  readonly wrap?: (storage: Storage) => Storage;
}

/** Core's use cases on a store of this package. */
export class TestStore {
  readonly dataDir: string;
  readonly storage: StorageInUse;
  readonly #background = new BackgroundQueue(silentLog);
  readonly #maxCheckpoints: number;

  static async open(dataDir: string, options: TestStoreOptions = {}): Promise<TestStore> {
    const { wrap = (storage) => storage, ...others } = options;
    const storage = await openWithDriver({ dataDir, ...others }, driver, others);
    return new TestStore(dataDir, storageInUse(wrap(storage)), options);
  }

  private constructor(dataDir: string, storage: StorageInUse, { maxCheckpoints = Number.MAX_SAFE_INTEGER }: TestStoreOptions) {
    this.dataDir = dataDir;
    this.storage = storage;
    this.#maxCheckpoints = maxCheckpoints;
  }

  /** Saves a context, by default to the one session that most tests use. */
  save(context: Context, input: Partial<SaveInput> = {}): Promise<SaveResult> {
    return saveCheckpoint(
      { ...this.ports(), classifier: classifierOf({}), ids, background: this.#background, writer: "workrail/test" },
      { sessionId: SESSION, context, ...input },
    );
  }

  load(input: LoadInput = { sessionId: SESSION }): Promise<LoadedCheckpoint> {
    return loadCheckpoint({ ...this.ports(), onLoaded: ignore }, input);
  }

  async contextOf(sessionId: SessionId = SESSION): Promise<Context> {
    return (await this.load({ sessionId })).context;
  }

  pin(key: string, critical = true): Promise<PinResult> {
    return pinEntry({ ...this.ports(), onLoaded: ignore }, { sessionId: SESSION, key, critical });
  }

  rebuild(): Promise<RebuildReport> {
    return rebuildCatalog(this.ports());
  }

  recover(): Promise<RebuildReport | undefined> {
    return recoverCatalog(this.ports());
  }

  /** Compacts a session until nothing is left to do. */
  async compact(sessionId: SessionId = SESSION): Promise<void> {
    const givenUp = new Set<CheckpointId>();
    for (;;) if (!(await compactSession(this.ports(), sessionId, { givenUp })).hasMore) return;
  }

  collectGarbage(): Promise<GarbageReport> {
    return collectGarbage(this.ports());
  }

  verify(): Promise<VerifyReport> {
    return verifyStore(this.ports());
  }

  repair(options?: RepairOptions): Promise<RepairReport> {
    return repairStore(this.ports(), options);
  }

  backup(target: BackupTarget, options?: BackupOptions): Promise<BackupReport> {
    return backupStore({ ...this.ports(), ids, writer: "workrail/test" }, target, options);
  }

  /** Resolves when the background work is done. */
  idle(): Promise<void> {
    return this.#background.idle();
  }

  async close(): Promise<void> {
    await this.idle();
    await this.storage.close();
  }

  /** Ports for use cases that this class does not call. */
  ports() {
    const limits = { ...DEFAULT_LIMITS, maxCheckpoints: this.#maxCheckpoints };
    const { catalog, blobs, locking, recovery } = this.storage;
    return { catalog, blobs, locking, recovery, codec, digests: sha256, limits, clock, log: silentLog };
  }
}

/** Runs a test with a fresh directory, which is removed afterwards. */
export async function withDirectory<T>(test: (directory: string) => Promise<T>): Promise<T> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-test-"));
  try {
    return await test(directory);
  } finally {
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Runs a test with a store in a fresh directory; the store is closed and removed afterwards. */
export async function withStore<T>(test: (store: TestStore) => Promise<T>, options: TestStoreOptions = {}): Promise<T> {
  return withDirectory(async (directory) => {
    const store = await TestStore.open(path.join(directory, "data"), options);
    try {
      return await test(store);
    } finally {
      await store.close();
    }
  });
}

/** Opens a store again, or beside other openers. */
export async function withOpened<T>(dataDir: string, work: (store: TestStore) => Promise<T>, options: TestStoreOptions = {}): Promise<T> {
  const store = await TestStore.open(dataDir, options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Returns the parts of a promise's rejection that tests check. Fails for anything but a `WorkrailError`. */
export async function failureOf(
  work: Promise<unknown>,
): Promise<{ code: string; reason: unknown; outcome: unknown; error: WorkrailError }> {
  try {
    await work;
  } catch (error) {
    if (!isWorkrailError(error)) throw new Error(`No WorkrailError: ${String(error)}`, { cause: error });
    return { code: error.code, reason: error.details["reason"], outcome: error.details["outcome"], error };
  }
  throw new Error("It succeeded.");
}
