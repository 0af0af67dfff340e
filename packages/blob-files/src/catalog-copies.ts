import path from "node:path";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { noStore } from "./catalog-errors.ts";
import { copyDatabase, copyPlainFile, filesOfDatabase, hasReliableStamp, stampOf } from "./copy-database.ts";
import { nodeFileSystem } from "./file-system.ts";
import { CONTEXTS, DATABASE, JOURNAL } from "./paths.ts";
import type { PrivateDirectory } from "./private-directory.ts";
import { removeTree } from "./private-directory.ts";
import { refuseUnfinishedRestore } from "./restore.ts";

/** File that the SQLite catalog writes after each commit. */
const MARK = `${DATABASE}-mark`;

export interface CatalogCopiesOptions<C> {
  /** Real path: see `findDataDirectory`. */
  readonly dataDir: string;
  /** Directory of the copies. */
  readonly place: PrivateDirectory;
  /** Longest time to wait for writers of the catalog. */
  readonly waitMs: number;
  /** Opens the copy in a directory. */
  readonly open: (directory: string) => Promise<C>;
}

interface Copy<C> {
  readonly directory: string;
  readonly catalog: C;
  /** Stamp of the source files at the time of the copy. */
  readonly stamp: string;
  /** True when the next change of a source file is certain to change the stamp. */
  isStampReliable: boolean;
  users: number;
  isRetired: boolean;
}

/**
 * Copies of a store's catalog, for readers that must not touch the store: SQLite writes beside a database even when it opens it for
 * reading. A copy is made on first use, and again after the catalog has changed.
 */
export class CatalogCopies<C extends { close(): Promise<void> }> {
  readonly #options: CatalogCopiesOptions<C>;
  #copy: Copy<C> | undefined;
  #copying: Promise<Copy<C>> | undefined;
  /** Copy for callers that arrived while one was in progress, which may lack data they must see. */
  #copyingNext: Promise<Copy<C>> | undefined;

  constructor(options: CatalogCopiesOptions<C>) {
    this.#options = options;
  }

  /**
   * Runs `use` with a current copy of the catalog. The copy is not removed while `use` runs.
   *
   * @throws STORAGE_UNAVAILABLE, with the reason `no-store` when there is nothing to read; LOCK_TIMEOUT; errors of opening.
   */
  use<T>(use: (catalog: C) => Promise<T>): Promise<T> {
    return this.#using(({ catalog }) => use(catalog));
  }

  /**
   * Rebuilds the copy of a lost catalog. The rebuilt copy is used until the store's own catalog is seen to differ: no process changes a
   * lost catalog, and another rebuild replaces the file.
   *
   * @param fill rebuilds the copy, and returns whether it was lost.
   * @throws errors of `use` and of `fill`.
   */
  rebuild(fill: (catalog: C) => Promise<boolean>): Promise<void> {
    return this.#using(async (copy) => {
      if (await fill(copy.catalog)) copy.isStampReliable = true;
    });
  }

  /** Closes and removes all copies. Do not use the object afterwards. */
  async close(): Promise<void> {
    await this.#copyingNext?.catch(ignore);
    await this.#copying?.catch(ignore);
    await this.#retire();
    this.#options.place.remove();
  }

  async #using<T>(use: (copy: Copy<C>) => Promise<T>): Promise<T> {
    const copy = await this.#current();
    copy.users += 1;
    try {
      return await use(copy);
    } finally {
      copy.users -= 1;
      await closeUnused(copy);
    }
  }

  async #current(): Promise<Copy<C>> {
    const { dataDir } = this.#options;
    refuseUnfinishedRestore(nodeFileSystem, dataDir);
    if (this.#copy?.isStampReliable === true && isThere(this.#copy) && this.#copy.stamp === stampOf(sourcesIn(dataDir))) return this.#copy;
    if (this.#copying === undefined) return this.#copyNow();
    this.#copyingNext ??= this.#copying.catch(ignore).then(() => {
      this.#copyingNext = undefined;
      return this.#copyNow();
    });
    return this.#copyingNext;
  }

  #copyNow(): Promise<Copy<C>> {
    const copying = this.#renew().finally(() => {
      if (this.#copying === copying) this.#copying = undefined;
    });
    this.#copying = copying;
    return copying;
  }

  async #renew(): Promise<Copy<C>> {
    const { dataDir, place, waitMs, open } = this.#options;
    refuseMissingStore(dataDir);
    const sources = sourcesIn(dataDir);
    const stamp = stampOf(sources);
    const isStampReliable = hasReliableStamp(sources);
    const directory = place.newDirectory();
    try {
      // The mark and the journal are copied first, so that they include no commit that the copy of the database lacks.
      for (const name of [MARK, JOURNAL]) copyPlainFile(path.join(dataDir, name), path.join(directory, name));
      await copyDatabase(path.join(dataDir, DATABASE), path.join(directory, DATABASE), waitMs);
      const catalog = await open(directory);
      await this.#retire();
      this.#copy = { directory, catalog, stamp, isStampReliable, users: 0, isRetired: false };
      return this.#copy;
    } catch (error) {
      removeTree(directory);
      throw error;
    }
  }

  async #retire(): Promise<void> {
    const copy = this.#copy;
    this.#copy = undefined;
    if (copy === undefined) return;
    copy.isRetired = true;
    // A caller that has just received the copy counts as a user after this turn.
    await yieldToEventLoop();
    await closeUnused(copy);
  }
}

function ignore(): void {}

async function closeUnused<C extends { close(): Promise<void> }>(copy: Copy<C>): Promise<void> {
  if (!copy.isRetired || copy.users > 0) return;
  await copy.catalog.close();
  removeTree(copy.directory);
}

/** False when the system's temporary directory was cleaned up. */
function isThere({ directory }: Copy<unknown>): boolean {
  return nodeFileSystem.inspect(directory) !== undefined;
}

/**
 * Returns the source files. The mark is among them because it is closed after each commit: Windows updates the time of an open file late.
 */
function sourcesIn(dataDir: string): readonly string[] {
  return [...filesOfDatabase(path.join(dataDir, DATABASE)), path.join(dataDir, MARK), path.join(dataDir, JOURNAL)];
}

function refuseMissingStore(dataDir: string): void {
  const isThere = [DATABASE, JOURNAL, CONTEXTS].some((name) => nodeFileSystem.inspect(path.join(dataDir, name)) !== undefined);
  if (!isThere) throw noStore(dataDir);
}
