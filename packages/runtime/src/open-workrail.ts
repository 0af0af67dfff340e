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
  /** Default: `WORKRAIL_DATA_DIR`, else the platform's folder for user data. */
  readonly dataDir?: string | undefined;
  /** Overrides single limits. */
  readonly limits?: Partial<Limits> | undefined;
  /**
   * Opens the store for reading alone: nothing in its directory is made or changed, and whatever would fails with READ_ONLY. A
   * store that is not there is not made. Default: `WORKRAIL_READ_ONLY`, else `false`.
   */
  readonly readOnly?: boolean | undefined;
  /** Root of the project that saves belong to, an absolute path; `null`: none. Default: `WORKRAIL_PROJECT`, else found from `cwd`. */
  readonly project?: string | null | undefined;
  /**
   * What to do when the store cannot be opened, or cannot be written to. `memory`: opening succeeds all the same, and memory
   * keeps what is saved until the disk is back; such a save fails, and says so. Default: `WORKRAIL_FALLBACK`, else `fail`.
   */
  readonly fallback?: Fallback | undefined;
  /** Default: the process's working directory. */
  readonly cwd?: string | undefined;
  /** Default: the process's environment. */
  readonly env?: Environment | undefined;
  /** Options of a command line, such as `--max-depth=5`; they go before the environment. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Parts to use instead of ours. */
  readonly adapters?: Adapters | undefined;
  /**
   * Whether to do, in the background, what earlier processes left undone, and what is to be done now and then. Default `true`. A program that
   * looks something up and is gone leaves it to others.
   */
  readonly upkeep?: boolean | undefined;
  /** Takes in first the saves that hooks left. Default `true`. */
  readonly takeIncoming?: boolean | undefined;
  /**
   * When the process gets ready to search, which its first search waits for otherwise: the engine compiles some hundred functions for it.
   * `opening`: before this resolves, which takes the first opening of a process some 25 ms longer. `pause`: about a second after the last call.
   * Default `opening`. Without upkeep, and for a store that is only read: never.
   */
  readonly warmUp?: WarmUp | undefined;
  /**
   * Whether to make a store where there is none. Default `true`. With `false` a store that is not there is empty: nothing is made for it, and
   * what is saved to it is gone when it is closed.
   */
  readonly create?: boolean | undefined;
  /** Called now and then while a catalog that was lost is rebuilt, which in a large store takes a while. */
  readonly onRebuildProgress?: RebuildOptions["onProgress"];
}

/**
 * Opens a store, and creates it where there is none, unless `create` says otherwise or it is for reading alone. A catalog that was lost is first rebuilt from the files.
 *
 * @throws INVALID_INPUT for options and settings that make no sense; UNSUPPORTED_VERSION for a store of a newer version; KEY_UNAVAILABLE for
 *   one that is sealed, or is to be, without its key; READ_ONLY where one is open for reading alone that must be changed first. Without
 *   the fallback `memory` also STORAGE_UNAVAILABLE, LOCK_TIMEOUT and STORE_IN_USE.
 */
export async function openWorkrail(options: OpenOptions = {}): Promise<Workrail> {
  checkParams(options, "options");
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
  // What is to be sealed must not lie in memory in clear, however long the disk is away.
  const isSealed = settings.sealing.encryption === "enabled" || (adapters.storage === undefined && hasKeyring(settings.dataDir));
  const mayStandIn = settings.fallback === "memory" && !isSealed && !settings.readOnly;
  if (!mayStandIn) return openStore(plan);
  const { FallbackStore } = await import("./fallback/fallback-store.ts");
  return FallbackStore.open(plan);
}
