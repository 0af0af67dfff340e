import fs from "node:fs";
import path from "node:path";
import type { Effort } from "./alternate.ts";
import { runWorker } from "./run-worker.ts";
import { filledSession } from "./tasks/fill-store.ts";
import { PROJECT } from "./tasks/open-library.ts";

/** Session of the large store's checkpoints. */
export const LARGE_SESSION: string = filledSession(0);
/** Number of its checkpoints. */
export const LARGE = 10_000;

const LARGE_BYTES = 1_000;

export interface LargeStore {
  readonly dataDir: string;
  /** Milliseconds to build its catalog from its files. */
  readonly rebuildMs: number;
}

/** Shared by all suites: directories for stores, limits of measurements, and progress output. */
export class Bench {
  readonly quick: boolean;
  readonly #directory: string;
  #directories = 0;
  #large: Promise<LargeStore> | undefined;

  /**
   * @param directory directory on the disk to measure. Emptied only at the end, because a file system that is still busy with removed files
   * creates new ones slowly.
   */
  constructor(directory: string, quick: boolean) {
    this.#directory = directory;
    this.quick = quick;
  }

  /** Returns a new path. */
  fresh(name: string): string {
    return path.join(this.#directory, `${++this.#directories}-${name}`);
  }

  /** Returns the effort of one comparison; `share` reduces it for one of many similar comparisons. */
  effort(share = 1): Effort {
    return this.quick
      ? { fewest: 6, most: Math.round(300 * share), forMs: 1_200 * share }
      : { fewest: 12, most: Math.round(2_000 * share), forMs: 6_000 * share };
  }

  /** Returns a store with 10,000 checkpoints in one session, created on first use. */
  largeStore(): Promise<LargeStore> {
    this.#large ??= this.#makeLargeStore();
    return this.#large;
  }

  say(what: string): void {
    process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${what}\n`);
  }

  clean(): void {
    fs.rmSync(this.#directory, { recursive: true, force: true });
  }

  async #makeLargeStore(): Promise<LargeStore> {
    this.say(`making a store of ${LARGE} checkpoints`);
    const dataDir = this.fresh("large");
    const { rebuildMs } = await runWorker("fillStore", {
      dataDir,
      sessions: 1,
      checkpoints: LARGE,
      bytes: LARGE_BYTES,
      atATime: 1,
      projects: [PROJECT],
    });
    return { dataDir, rebuildMs };
  }
}
