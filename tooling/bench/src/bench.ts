import fs from "node:fs";
import path from "node:path";
import type { Effort } from "./alternate.ts";
import { runWorker } from "./run-worker.ts";
import { filledSession } from "./tasks/fill-store.ts";
import { PROJECT } from "./tasks/open-library.ts";

/** The session that the large store's checkpoints belong to. */
export const LARGE_SESSION: string = filledSession(0);
/** How many there are. */
export const LARGE = 10_000;

const LARGE_BYTES = 1_000;

export interface LargeStore {
  readonly dataDir: string;
  /** What making its catalog from its files took. */
  readonly rebuildMs: number;
}

/** What all suites share: a place for their stores, how long they may measure, and a way to say what they are at. */
export class Bench {
  readonly quick: boolean;
  readonly #directory: string;
  #directories = 0;
  #large: Promise<LargeStore> | undefined;

  /**
   * @param directory on the disk that is to be measured; emptied at the end and not before, because a file system that
   *   is still busy with removed files makes new ones slowly.
   */
  constructor(directory: string, quick: boolean) {
    this.#directory = directory;
    this.quick = quick;
  }

  /** A path that nobody uses yet. */
  fresh(name: string): string {
    return path.join(this.#directory, `${++this.#directories}-${name}`);
  }

  /** For one comparison; `share` for those that are but one of many of a kind. */
  effort(share = 1): Effort {
    return this.quick
      ? { fewest: 6, most: Math.round(300 * share), forMs: 1_200 * share }
      : { fewest: 12, most: Math.round(2_000 * share), forMs: 6_000 * share };
  }

  /** A store with 10,000 checkpoints in one session, made when it is first needed. */
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
