import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isWorkrailError, type WorkrailError } from "@workrail/core";
import { SequentialIds, SteppingClock } from "@workrail/storage-conformance/builders";
import { MemoryDisk, openMemoryStorage } from "@workrail/memory";
import type { OpenOptions } from "../src/open-options.ts";
import { openWorkrail } from "../src/open-workrail.ts";
import type { Environment } from "../src/config/default-data-dir.ts";
import type { Workrail } from "../src/workrail.ts";

/** Location of a store of some kind that several openers can use in turn. */
export interface Place {
  readonly dataDir: string;
  /** Environment of its stores, unless the opener overrides it. */
  readonly env: Environment;
  open(options?: OpenOptions): Promise<Workrail>;
  /** Deletes the catalog of a closed store only. */
  loseCatalog(): void;
}

interface Kind {
  readonly kind: string;
  readonly at: <T>(test: (place: Place) => Promise<T>) => Promise<T>;
}

/** Every kind of store, each in its own location, removed after the test. */
export const KINDS: readonly Kind[] = [
  { kind: "memory", at: (test) => test(inMemory()) },
  { kind: "SQLite and files", at: (test) => onDisk(test) },
  { kind: "files alone", at: (test) => onDisk(test, { WORKRAIL_SQLITE_DRIVER: "none" }) },
];

function inMemory(): Place {
  const disk = new MemoryDisk();
  const storage = () => openMemoryStorage({ disk });
  return {
    dataDir: "",
    env: {},
    // A directory that never has a config.json.
    open: (options = {}) =>
      openWorkrail({
        env: {},
        project: null,
        dataDir: path.join(os.tmpdir(), "workrail-nowhere"),
        ...options,
        adapters: { storage, ...options.adapters },
      }),
    loseCatalog: () => disk.loseCatalog(),
  };
}

/** Runs a test with the usual store in a fresh directory. */
export async function onDisk<T>(test: (place: Place) => Promise<T>, env: Environment = {}): Promise<T> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-runtime-"));
  const dataDir = path.join(directory, "data");
  try {
    return await test({
      dataDir,
      env,
      open: (options = {}) => openWorkrail({ project: null, dataDir, ...options, env: { ...env, ...options.env } }),
      loseCatalog: () => removeCatalog(dataDir),
    });
  } finally {
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

export function removeCatalog(dataDir: string): void {
  for (const name of ["workrail.db", "workrail.db-wal", "workrail.db-shm", "catalog.jsonl"]) {
    fs.rmSync(path.join(dataDir, name), { force: true });
  }
}

/** Returns a clock and ids that a test can predict. */
export function foreseeable(): { readonly clock: SteppingClock; readonly ids: SequentialIds } {
  return { clock: new SteppingClock(), ids: new SequentialIds() };
}

export interface AuditLine {
  readonly action: string;
  readonly checkpoint_id: string | null;
}

export function readAudit(dataDir: string): readonly AuditLine[] {
  const database = new DatabaseSync(path.join(dataDir, "workrail.db"));
  try {
    return database.prepare("SELECT action, checkpoint_id FROM audit ORDER BY id").all() as unknown as readonly AuditLine[];
  } finally {
    database.close();
  }
}

/** Returns the error of a refused call. Anything but a `WorkrailError` fails the test. */
export async function refusalOf(work: Promise<unknown>): Promise<WorkrailError> {
  try {
    await work;
  } catch (error) {
    if (isWorkrailError(error)) return error;
    throw new Error(`No WorkrailError: ${String(error)}`, { cause: error });
  }
  throw new Error("It succeeded.");
}
