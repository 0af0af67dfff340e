import type { CopyProgress, CopyReport } from "@workrail/transfer";
import type { Environment } from "./config/default-data-dir.ts";
import type { ProgramSettings } from "./config/setting-table.ts";
import type { Adapters } from "./container.ts";

export interface CopyStoreOptions {
  /** Place to copy to: a data directory or the URL of a migrated database that is empty, or holds an earlier copy. */
  readonly to: string;
  /** Place of the store to copy. Default: `WORKRAIL_DATA_DIR`, else the platform's directory for user data. */
  readonly from?: string | undefined;
  /** Default: the process's environment. */
  readonly env?: Environment | undefined;
  /** Options of a command line, such as `--sqlite-driver=none`. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Settings by name, as in `config.json`. They override `args`. Default: none. */
  readonly settings?: ProgramSettings | undefined;
  /** Parts that replace the built-in ones. Not the storage: both places have their own. */
  readonly adapters?: Omit<Adapters, "storage"> | undefined;
  /** Called after each blob. */
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
  /** Stops the copy. The same call continues it. */
  readonly signal?: { readonly aborted: boolean } | undefined;
}

export interface CopyStoreResult extends CopyReport {
  readonly from: string;
  readonly to: string;
}
