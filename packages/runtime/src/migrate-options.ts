import type { Environment } from "./config/default-data-dir.ts";

export interface MigrateStoreOptions {
  /** URL of the database itself, not of a pool of transactions. Default: `WORKRAIL_STORE`. */
  readonly store?: string | undefined;
  /** Default: the process's environment. */
  readonly env?: Environment | undefined;
  /** Options of a command line. Default: none. */
  readonly args?: readonly string[] | undefined;
}

export interface MigrateStoreResult {
  /** The URL without its password. */
  readonly store: string;
  /** Names of the migrations that were applied now. */
  readonly applied: readonly string[];
}
