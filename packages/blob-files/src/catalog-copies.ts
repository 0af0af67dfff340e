import path from "node:path";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { noStore } from "./catalog-errors.ts";
import { copyDatabase, copyPlainFile, filesOfDatabase, mayTellChanges, stampOf } from "./copy-database.ts";
import { nodeFileSystem } from "./file-system.ts";
import { CONTEXTS, DATABASE, JOURNAL } from "./paths.ts";
import type { PrivateDirectory } from "./private-directory.ts";
import { removeTree } from "./private-directory.ts";
import { refuseUnfinishedRestore } from "./restore.ts";

/** Written by SQLite's catalog after each commit; see there. */
const MARK = `${DATABASE}-mark`;

export interface CatalogCopiesOptions<C> {
  /** As it really is: see `findDataDirectory`. */
  readonly dataDir: string;
  readonly place: PrivateDirectory;
  /** How long to wait for those who change the catalog. */
  readonly waitMs: number;
  /** Opens what was copied into a directory. */
  readonly open: (directory: string) => Promise<C>;
}

interface Copy<C> {
  readonly directory: string;
  readonly catalog: C;
  /** Of what it was copied from. */
  readonly stamp: string;
  /** Whether that tells every change. */
  isSure: boolean;
  users: number;
  isRetired: boolean;
}

/**
 * Copies of a store's catalog, for those who must not touch the store: opening a database through SQLite writes beside it, even
 * for reading. A copy is made when the catalog is first needed, and another one when somebody has changed it since.
 */
export class CatalogCopies<C extends { close(): Promise<void> }> {
  readonly #options: CatalogCopiesOptions<C>;
  #copy: Copy<C> | undefined;
  #copying: Promise<Copy<C>> | undefined;
  /** Of those who came when one was being made already, which may lack what they must see. */
  #copyingNext: Promise<Copy<C>> | undefined;

  constructor(options: CatalogCopiesOptions<C>) {
    this.#options = options;
  }

  /**
   * Does something with a copy of the catalog as it is now. The copy stays until that is done.
   *
   * @throws STORAGE_UNAVAILABLE, with the reason `no-store` where there is nothing to be read; LOCK_TIMEOUT; whatever opening throws.
   */
  use<T>(use: (catalog: C) => Promise<T>): Promise<T> {
    return this.#using(({ catalog }) => use(catalog));
  }

  /**
   * Has a copy that is lost made anew. It stands until the store's own catalog is seen to be another: nobody changes one that is
   * lost, and whoever makes it anew as well puts another file in its place.
   *
   * @param fill makes it, and tells whether it was lost.
   * @throws what `use` throws, and whatever `fill` does.
   */
  rebuild(fill: (catalog: C) => Promise<boolean>): Promise<void> {
    return this.#using(async (copy) => {
      if (await fill(copy.catalog)) copy.isSure = true;
    });
  }

  /** Nothing is used afterwards. */
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
    if (this.#copy?.isSure === true && isThere(this.#copy) && this.#copy.stamp === stampOf(sourcesIn(dataDir))) return this.#copy;
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
    const isSure = mayTellChanges(sources);
    const directory = place.newDirectory();
    try {
      // The mark first: it must not tell of a commit that the copy lacks.
      for (const name of [MARK, JOURNAL]) copyPlainFile(path.join(dataDir, name), path.join(directory, name));
      await copyDatabase(path.join(dataDir, DATABASE), path.join(directory, DATABASE), waitMs);
      const catalog = await open(directory);
      await this.#retire();
      this.#copy = { directory, catalog, stamp, isSure, users: 0, isRetired: false };
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
    // Whoever was given it just now counts as a user by then.
    await turnOfTheLoop();
    await closeUnused(copy);
  }
}

function ignore(): void {}

async function closeUnused<C extends { close(): Promise<void> }>(copy: Copy<C>): Promise<void> {
  if (!copy.isRetired || copy.users > 0) return;
  await copy.catalog.close();
  removeTree(copy.directory);
}

/** Somebody may clean up where the system keeps what is temporary. */
function isThere({ directory }: Copy<unknown>): boolean {
  return nodeFileSystem.inspect(directory) !== undefined;
}

/** The mark as well: it is closed after each commit, and of a file that stays open Windows tells the time of a change late. */
function sourcesIn(dataDir: string): readonly string[] {
  return [...filesOfDatabase(path.join(dataDir, DATABASE)), path.join(dataDir, MARK), path.join(dataDir, JOURNAL)];
}

function refuseMissingStore(dataDir: string): void {
  const isThere = [DATABASE, JOURNAL, CONTEXTS].some((name) => nodeFileSystem.inspect(path.join(dataDir, name)) !== undefined);
  if (!isThere) throw noStore(dataDir);
}
