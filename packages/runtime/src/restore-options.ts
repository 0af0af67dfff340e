import type { StoredBackupProgress } from "@workrail/blob-files";
import type { ReadBlobsProgress, RebuildReport } from "@workrail/core";
import type { BackupReport } from "@workrail/transfer";
import type { Environment } from "./config/default-data-dir.ts";
import type { ProgramSettings } from "./config/setting-table.ts";
import type { Adapters } from "./container.ts";

export interface BackupResult extends Omit<BackupReport, "createdAt"> {
  /** Absolute path. */
  readonly directory: string;
  readonly createdAt: string;
}

export interface RestoreOptions {
  /** Directory to restore to. Default: `WORKRAIL_DATA_DIR`, else the platform's directory for user data. */
  readonly dataDir?: string | undefined;
  /** Replaces an existing store, which is kept aside. Default: a directory that is not empty is refused. */
  readonly replace?: boolean | undefined;
  /** Default: the process's environment. */
  readonly env?: Environment | undefined;
  /** Options of a command line, such as `--data-dir=elsewhere`. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Settings by name, as in `config.json`. They override `args`. Default: none. */
  readonly settings?: ProgramSettings | undefined;
  /** Parts that replace the built-in ones. Not the storage: a backup is restored to a data directory. */
  readonly adapters?: Omit<Adapters, "storage"> | undefined;
  /** Called after each file: all files are checked, then copied, and then the catalog is built from them. */
  readonly onProgress?: ((progress: RestoreProgress) => void) | undefined;
}

export type RestoreProgress = StoredBackupProgress | ReadBlobsProgress;

export interface RestoreResult {
  readonly dataDir: string;
  /** Time of the backup. */
  readonly createdAt: string;
  /** Live checkpoints in the restored catalog. */
  readonly checkpoints: number;
  readonly trashed: number;
  readonly sessions: number;
  /** Files that were already unreadable when the backup was made. */
  readonly unreadable: RebuildReport["unreadable"];
  /** Absolute path of the replaced store. */
  readonly keptAside: string | undefined;
}
