import type { IndexPorts, SearchPorts } from "@workrail/search";
import { isStorageFailure } from "../fallback/storage-failure.ts";
import type { Scope } from "../isolation.ts";
import type { Parts } from "../tokens.ts";
import { type CatchUpOptions, type Indexed, Indexer } from "./indexer.ts";
import { loadSearching } from "./load-searching.ts";
import { MeaningSearch } from "./meaning-search.ts";
import { followingChanges } from "./own-index.ts";
import {
  type FinishIndexOptions,
  searchHitOf,
  searchInputOf,
  type SearchCheckpointsParams,
  type SearchCheckpointsResult,
} from "./search-checkpoints.ts";

/** Longest time that a search waits for the index to catch up. */
const CATCH_UP_MS = 1_000;
/** Words of a rehearsal. A short query adds half as much time to opening as a long one. */
const SHORT = 2;
const LONG = 6;

/** True after a search in any store of this process, when the engine has compiled the code of searches. */
let isWarm = false;

interface CatchUpInFull extends FinishIndexOptions {
  readonly signal: { readonly aborted: boolean } | undefined;
}

/** Search over one store, with the index that it uses. */
export class StoreSearch {
  readonly #ports: IndexPorts & SearchPorts;
  readonly #indexer: Indexer;
  readonly #log: Parts["log"];
  readonly #meaning: MeaningSearch;
  readonly #background: Parts["background"];
  readonly #isBusy: () => boolean;
  /** True when the storage keeps the index. */
  readonly #isKept: boolean;
  #isRehearsed = false;
  #isStopped = false;

  /**
   * @param isBusy true while a caller waits for an answer.
   * @param whole the store that these parts belong to a part of.
   */
  constructor(parts: Parts, isBusy: () => boolean, whole?: Pick<Parts, "catalog">) {
    const { settings, search, log, background } = parts;
    this.#background = background;
    this.#isBusy = isBusy;
    this.#isKept = parts.storage.search !== undefined;
    const catalog = whole === undefined ? parts.catalog : followingChanges(parts.catalog, whole.catalog);
    this.#ports = { ...parts, catalog, search, limits: settings.limits, pause: async () => {} };
    this.#indexer = new Indexer({ ...this.#ports, background, log }, { isBusy, onUpToDate: () => this.#rehearseSoon() });
    this.#log = log;
    this.#meaning = new MeaningSearch(parts);
  }

  /** Called after each change. */
  changed(): void {
    this.#indexer.request();
    this.#meaning.keeper?.request();
  }

  /**
   * Prepares the process for its first search, once per process, for any store. Skipped while sessions are pending, because the first
   * search has to wait for these anyway. Failures are logged.
   */
  async warmUp(): Promise<void> {
    if (isWarm) return;
    const done = Promise.withResolvers<void>();
    this.#background.run("warm up search", async () => {
      try {
        if (await this.#indexer.isUpToDate()) await this.#rehearse(SHORT);
      } finally {
        done.resolve();
      }
    });
    await done.promise;
  }

  /** @throws INVALID_INPUT, STORAGE_UNAVAILABLE */
  async search(params: SearchCheckpointsParams, scope: Scope): Promise<Omit<SearchCheckpointsResult, "durability">> {
    const input = searchInputOf(params, scope);
    this.#isRehearsed = true;
    isWarm = true;
    const pending = await this.#catchUp(params);
    params.signal?.throwIfAborted();
    const { searchCheckpoints } = await loadSearching();
    const { hits, isLoose } = await searchCheckpoints(this.#ports, input);
    params.signal?.throwIfAborted();
    const filling = await this.#meaning.fill(input, hits);
    return {
      ...filling,
      hits: [...hits.map(searchHitOf), ...filling.hits],
      ...(isLoose ? { loose: true } : {}),
      ...(pending === 0 ? {} : { indexPending: pending }),
    };
  }

  /** Indexes everything that is pending. */
  async finishIndex({ onProgress }: FinishIndexOptions): Promise<void> {
    await this.#unlessDiskFails(() => this.#indexer.finish((done, total) => onProgress?.({ done, total })));
  }

  /**
   * Indexes everything pending and tidies the index. Returns `undefined` when the storage keeps no index: one in memory would end with the
   * process.
   *
   * @throws STORAGE_UNAVAILABLE
   */
  async bringUpToDate({ onProgress, signal }: CatchUpInFull): Promise<Indexed | undefined> {
    if (!this.#isKept) return undefined;
    const indexed = await this.#indexer.finish((done, total) => onProgress?.({ done, total }), signal);
    await this.#indexer.tidy(signal);
    return indexed;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#indexer.stop();
    await this.#meaning.stop();
  }

  /** Rehearses a search once, in the pause after the index caught up, so that the first real search does not wait for compilation. */
  #rehearseSoon(): void {
    if (this.#isRehearsed) return;
    this.#background.run("warm up search", async () => {
      if (this.#isRehearsed || this.#isStopped || this.#isBusy()) return;
      this.#isRehearsed = true;
      await this.#rehearse(LONG);
    });
  }

  async #rehearse(words: number): Promise<void> {
    isWarm = true;
    await (await loadSearching()).rehearseSearch(this.#ports, words, () => this.#isStopped);
  }

  async #catchUp(caller: CatchUpOptions): Promise<number> {
    const pending = await this.#unlessDiskFails(() => this.#indexer.catchUp(CATCH_UP_MS, caller));
    return pending ?? Math.max(1, (await this.#ports.search.state()).pending);
  }

  /** An index that cannot be updated, such as on a full disk, is still searched. */
  async #unlessDiskFails<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
      this.#log.warn("the search index could not be updated", { error });
      return undefined;
    }
  }
}
