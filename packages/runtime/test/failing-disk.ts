import fs from "node:fs";
import path from "node:path";
import type { CatalogPort, CheckpointId, Log, LogFields } from "@workrail/core";
import { type FileSystem, nodeFileSystem, openSqliteFs } from "@workrail/sqlite-fs";
import { tally } from "@workrail/storage-conformance/harness";
import { observedCatalog } from "@workrail/wrappers";
import type { Adapters } from "../src/container.ts";
import { openWithFallback } from "../src/fallback/fallback.ts";
import { RetainedMemory } from "../src/fallback/retained-memory.ts";
import { readSettings } from "../src/settings.ts";
import type { Workrail } from "../src/workrail.ts";
import { onDisk, type Place } from "./stores.ts";

export interface LogLine {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

/** A simulated disk that a test breaks and repairs, under a store with memory fallback. */
export class FailingDisk {
  readonly place: Place;
  readonly log: LogLine[] = [];
  /** Error code of creating a file, or of removing one; `undefined`: none. */
  writing: string | ((file: string) => string | undefined) | undefined;
  removing: string | undefined;
  /** Called before each removal. */
  onRemoving: (() => void) | undefined;
  /** Free bytes to report. Default: the real number. */
  freeBytes: number | undefined;
  /** Number of reads of the free space. */
  looks = 0;
  /** Number of files that can still be created. */
  filesLeft = Number.POSITIVE_INFINITY;
  /** The repeated work and its interval, while it is scheduled. */
  repeated: { readonly work: () => Promise<unknown>; readonly everyMs: number } | undefined;

  constructor(place: Place) {
    this.place = place;
  }

  adapters(): Adapters {
    const line =
      (level: keyof Log): Log["warn"] =>
      (message, fields) =>
        void this.log.push({ level, message, fields });
    return {
      storage: ({ dataDir, lockWaitMs }) => openSqliteFs({ dataDir, lockWaitMs, fs: this.#files() }),
      log: { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") },
      repeat: (work, everyMs) => {
        this.repeated = { work, everyMs };
        return () => {
          this.repeated = undefined;
        };
      },
    };
  }

  open(env: Record<string, string> = {}, adapters: Adapters = {}): Promise<Workrail> {
    return this.place.open({ fallback: "memory", env, adapters: { ...this.adapters(), ...adapters } });
  }

  /** Opens a store with a small memory fallback. */
  openSmall(limitBytes: number): Promise<Workrail> {
    const settings = readSettings({}, { dataDir: this.place.dataDir });
    return openWithFallback({ settings, adapters: this.adapters(), project: undefined }, new RetainedMemory(limitBytes));
  }

  /** Runs the scheduled retry of the disk, and resolves when it is done. */
  async retry(): Promise<void> {
    if (this.repeated === undefined) throw new Error("Nobody waits for the disk.");
    await this.repeated.work();
  }

  #beforeRemoving(): void {
    this.onRemoving?.();
    if (this.removing !== undefined) throw failure(this.removing);
  }

  #files(): FileSystem {
    return {
      ...nodeFileSystem,
      create: (file) => {
        const code = typeof this.writing === "function" ? this.writing(file) : this.writing;
        if (code !== undefined) throw failure(code);
        this.filesLeft -= 1;
        if (this.filesLeft < 0) throw failure("ENOSPC");
        return nodeFileSystem.create(file);
      },
      unlink: (file) => {
        this.#beforeRemoving();
        nodeFileSystem.unlink(file);
      },
      unlinkSoon: async (file) => {
        this.#beforeRemoving();
        await nodeFileSystem.unlinkSoon(file);
      },
      freeBytes: (directory) => {
        this.looks += 1;
        return this.freeBytes ?? nodeFileSystem.freeBytes(directory);
      },
    };
  }
}

/** Wraps a catalog: calls a function after each append, which may throw. */
export function afterAppend(catalog: CatalogPort, onAppended: (id: CheckpointId) => void): CatalogPort {
  return observedCatalog(catalog, (rows) => {
    for (const row of rows) if (row.table === "checkpoint" && row.was === undefined && row.now !== undefined) onAppended(row.now.record.id);
  });
}

export function withFailingDisk<T>(test: (disk: FailingDisk) => Promise<T>): Promise<T> {
  return onDisk((place) => test(new FailingDisk(place)));
}

/** Puts a file in place of the data directory. Returns a function that removes it. */
export function obstruct(dataDir: string): () => void {
  fs.mkdirSync(path.dirname(dataDir), { recursive: true });
  fs.writeFileSync(dataDir, "");
  return () => fs.rmSync(dataDir);
}

function failure(code: string): Error {
  tally({ tries: 1 });
  return Object.assign(new Error(code), { code });
}
