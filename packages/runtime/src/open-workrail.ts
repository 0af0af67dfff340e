import { asSpelled, hasKeyring } from "@workrail/blob-files";
import { invalidInput, type Limits, type RebuildOptions } from "@workrail/core";
import { FileTranscripts } from "@workrail/transcripts";
import { checkParams } from "./check-params.ts";
import { type Adapters, checkAdapters } from "./container.ts";
import { openStore, WARM_UPS, type WarmUp } from "./open-store.ts";
import { parseProject } from "./parse-project.ts";
import { hasStore, openNothing } from "./missing-store.ts";
import { findProject } from "./project.ts";
import type { Environment } from "./config/default-data-dir.ts";
import type { Fallback } from "./config/setting-table.ts";
import { readSettings } from "./settings.ts";
import type { Workrail } from "./workrail.ts";

export interface OpenOptions {
  /** Default: `WORKRAIL_DATA_DIR`, else the platform's directory for user data. */
  readonly dataDir?: string | undefined;
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
  /** Options of a command line, such as `--max-depth=5`. They override the environment. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Parts that replace ours. */
  readonly adapters?: Adapters | undefined;
  /**
   * True to run maintenance in the background: work that earlier processes left, and periodic work. Default `true`. A short-lived program
   * leaves it to others.
   */
  readonly upkeep?: boolean | undefined;
  /** Takes in saves left by hooks before opening resolves. Default `true`. */
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
  /** Called at intervals while a lost catalog is rebuilt, which takes a while in a large store. */
  readonly onRebuildProgress?: RebuildOptions["onProgress"];
}

/**
 * Opens a store. Creates a missing one, unless `create` is false or the store is read-only. Rebuilds a lost catalog from the files first.
 *
 * @throws INVALID_INPUT for invalid options and settings; UNSUPPORTED_VERSION for a store of a newer version; KEY_UNAVAILABLE for a store
 * that is sealed, or is to be, without its key; READ_ONLY for a read-only store that must be changed first. Without the fallback `memory`
 * also STORAGE_UNAVAILABLE, LOCK_TIMEOUT and STORE_IN_USE.
 */
export async function openWorkrail(options: OpenOptions = {}): Promise<Workrail> {
  checkParams(options, "openWorkrail", "options");
  const { warmUp = "opening" } = options;
  if (!WARM_UPS.includes(warmUp)) throw invalidInput("warmUp", "warmUp must be opening or pause.", "Correct warmUp, or leave it out.");
  if (options.adapters !== undefined) checkAdapters(options.adapters);
  const env = options.env ?? process.env;
  const { cwd = process.cwd() } = options;
  const settings = readSettings(env, options, options.adapters?.log);
  const project = options.project === undefined ? (settings.project ?? findProject(cwd)) : options.project;
  if (project !== undefined && project !== null) parseProject(project);
  const transcripts = new FileTranscripts({ project: options.project ?? settings.project, directory: cwd });
  const isMissing = options.create === false && !settings.readOnly && !hasStore(settings.dataDir);
  const adapters = { transcripts, ...(isMissing ? { storage: openNothing } : {}), ...options.adapters };
  const plan = {
    settings,
    adapters,
    project: project === undefined || project === null ? undefined : asSpelled(project),
    upkeep: options.upkeep ?? true,
    takeIncoming: options.takeIncoming,
    warmUp,
    onRebuildProgress: options.onRebuildProgress,
  };
  // Data to be sealed must not stay in memory in clear, however long the disk is away.
  const isSealed = settings.sealing.encryption === "enabled" || (adapters.storage === undefined && hasKeyring(settings.dataDir));
  const mayStandIn = settings.fallback === "memory" && !isSealed && !settings.readOnly;
  if (!mayStandIn) return openStore(plan);
  const { FallbackStore } = await import("./fallback/fallback-store.ts");
  return FallbackStore.open(plan);
}
