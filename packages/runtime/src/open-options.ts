import type { Limits, RebuildOptions } from "@workrail/core";
import type { Adapters } from "./container.ts";
import type { Environment } from "./config/default-data-dir.ts";
import type { Fallback, ProgramSettings } from "./config/setting-table.ts";

/** Times at which a process can prepare for searching. */
export const WARM_UPS = ["opening", "pause"] as const;
export type WarmUp = (typeof WARM_UPS)[number];

export interface OpenOptions {
  /** Default: `WORKRAIL_DATA_DIR`, else the platform's directory for user data. */
  readonly dataDir?: string | undefined;
  /**
   * URL of the store, in place of the data directory: a PostgreSQL database, `postgres://user:password@host/database`, or a node,
   * `https://host`, with its token in `WORKRAIL_STORE_TOKEN`. Default: `WORKRAIL_STORE`, unless `dataDir` is given.
   */
  readonly store?: string | undefined;
  /** Overrides individual limits. */
  readonly limits?: Partial<Limits> | undefined;
  /**
   * Opens the store read-only: nothing in its directory is created or changed, and writes fail with READ_ONLY. A missing store is not
   * created. Default: `WORKRAIL_READ_ONLY`, else `false`.
   */
  readonly readOnly?: boolean | undefined;
  /** Root of the project of new saves, an absolute path; `null`: none. Default: `WORKRAIL_PROJECT`, else found from `cwd`. */
  readonly project?: string | null | undefined;
  /**
   * Behaviour when the store cannot be opened or written to. `memory`: opening succeeds, and memory keeps the saves until the disk is back;
   * such a save rejects to say so. Default: `WORKRAIL_FALLBACK`, else `fail`.
   */
  readonly fallback?: Fallback | undefined;
  /** Default: the process's working directory. */
  readonly cwd?: string | undefined;
  /** Default: the process's environment. */
  readonly env?: Environment | undefined;
  /**
   * Settings by name, as in `config.json`: `{ maxCheckpoints: 500, secrets: "off" }`. They override `args`, the environment and the file.
   * Default: none.
   */
  readonly settings?: ProgramSettings | undefined;
  /** Options of a command line, such as `--max-depth=5`, for a program that passes on its own. They override the environment. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Parts that replace the built-in ones. */
  readonly adapters?: Adapters | undefined;
  /**
   * True to run maintenance in the background: work that earlier processes left, and periodic work. Default `true`. A short-lived program
   * leaves it to others.
   */
  readonly upkeep?: boolean | undefined;
  /** Takes in saves that hooks left in the data directory, before opening resolves and later. Default `true`. */
  readonly takeIncoming?: boolean | undefined;
  /**
   * Time at which the process prepares for searching; otherwise the first search waits while the engine compiles some hundred functions.
   * `opening`: before this resolves, about 25 ms at the first opening of a process. `pause`: about a second after the last call. Default
   * `opening`. Never without upkeep or for a read-only store.
   */
  readonly warmUp?: WarmUp | undefined;
  /**
   * True to create a missing store. Default `true`. With `false` a missing store is empty: nothing is created for it, and saves to it are
   * lost when it is closed.
   */
  readonly create?: boolean | undefined;
  /**
   * False for a process that serves callers who know nothing of each other: a call that names no session then never continues in that of
   * another call. Default `true`.
   */
  readonly remembersSessions?: boolean | undefined;
  /** Called at intervals while a lost catalog is rebuilt, which takes a while in a large store. */
  readonly onRebuildProgress?: RebuildOptions["onProgress"];
}
