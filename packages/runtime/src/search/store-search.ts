import type { IndexPorts, SearchPorts } from "@workrail/core";
import { isStorageFailure } from "../fallback/storage-failure.ts";
import type { Scope } from "../isolation.ts";
import type { Parts } from "../tokens.ts";
import { Indexer } from "./indexer.ts";
import { loadSearching } from "./load-searching.ts";
import { MeaningSearch } from "./meaning-search.ts";
import {
  type FinishIndexOptions,
  searchHitOf,
  searchInputOf,
  type SearchCheckpointsParams,
  type SearchCheckpointsResult,
} from "./search-checkpoints.ts";

/** How long a search waits for what is not indexed yet. */
const CATCH_UP_MS = 1_000;
/** Of a rehearsal: a short question takes opening half of what a long one takes. */
const SHORT = 2;
const LONG = 6;

/** Whether this process has searched in any store, so that the engine has compiled what all searches run. */
let isWarm = false;

/** Search over one store, and the index that it is done with. */
export class StoreSearch {
  readonly #ports: IndexPorts & SearchPorts;
  readonly #indexer: Indexer;
  readonly #log: Parts["log"];
  readonly #meaning: MeaningSearch;
  readonly #background: Parts["background"];
  readonly #isBusy: () => boolean;
  #isRehearsed = false;
  #isStopped = false;

  /** @param isBusy whether somebody waits for an answer. */
  constructor(parts: Parts, isBusy: () => boolean) {
    const { settings, search, log, background } = parts;
    this.#background = background;
    this.#isBusy = isBusy;
    this.#ports = { ...parts, search, limits: settings.limits, pause: async () => {} };
    this.#indexer = new Indexer(this.#ports, background, log, { isBusy, onUpToDate: () => this.#rehearseSoon() });
    this.#log = log;
    this.#meaning = new MeaningSearch(parts);
  }

  /** To be told of each change. */
  changed(): void {
    this.#indexer.request();
    this.#meaning.changed();
  }

  /**
   * Has the process ready to search, which its first search would wait for otherwise. Done once, whatever store it is for; and not where
   * something is left to be indexed, for the first search waits for that in any case. What fails is logged.
   */
  async warmUp(): Promise<void> {
    if (isWarm) return;
    const done = Promise.withResolvers<void>();
    this.#background.run("rehearse a search", async () => {
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
    const pending = await this.#catchUp();
    const { searchCheckpoints } = await loadSearching();
    const { hits, isLoose } = await searchCheckpoints(this.#ports, input);
    const filling = await this.#meaning.fill(input, hits);
    return {
      ...filling,
      hits: [...hits.map(searchHitOf), ...filling.hits],
      ...(isLoose ? { loose: true } : {}),
      ...(pending === 0 ? {} : { indexPending: pending }),
    };
  }

  /** Has nothing wait to be indexed. */
  async finishIndex({ onProgress }: FinishIndexOptions): Promise<void> {
    await this.#unlessDiskFails(() => this.#indexer.finish((done, total) => onProgress?.({ done, total })));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#indexer.stop();
    await this.#meaning.stop();
  }

  /** Once, in the pause in which the index was brought up to date: whoever then asks first does not wait for what only the first waits for. */
  #rehearseSoon(): void {
    if (this.#isRehearsed) return;
    this.#background.run("rehearse a search", async () => {
      if (this.#isRehearsed || this.#isStopped || this.#isBusy()) return;
      this.#isRehearsed = true;
      await this.#rehearse(LONG);
    });
  }

  async #rehearse(words: number): Promise<void> {
    isWarm = true;
    await (await loadSearching()).rehearseSearch(this.#ports, words, () => this.#isStopped);
  }

  async #catchUp(): Promise<number> {
    const pending = await this.#unlessDiskFails(() => this.#indexer.catchUp(CATCH_UP_MS));
    return pending ?? Math.max(1, (await this.#ports.search.state()).pending);
  }

  /** What is indexed can be searched although no more can be, as on a disk that is full. */
  async #unlessDiskFails<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
      this.#log.warn("the search index could not be brought up to date", { error });
      return undefined;
    }
  }
}
