import { type Log, runFinally } from "@workrail/core";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { printWarning } from "./print.ts";
import { countingByPhase, showingProgress } from "./show-progress.ts";
import { settingArgs } from "./setting-options.ts";

/** Options of every command, including settings. */
export interface GlobalOptions {
  readonly dataDir?: string;
  readonly json?: true;
  /** Only for commands that have this option. */
  readonly dryRun?: true;
}

/** Progress of rebuilding a lost catalog, which any command may start. */
const REBUILDING = countingByPhase({ read: "Rebuilding the catalog, files read:", prove: "Rebuilding the catalog, files verified:" });

/**
 * Opens the store, runs one piece of work, and closes the store, so that a slow reader such as a pager does not keep it open. The library
 * is loaded only here, so that help and usage errors are answered at once.
 */
export async function withStore<T>(
  options: GlobalOptions,
  work: (store: Workrail) => Promise<T>,
  // A dry run must change nothing.
  { upkeep = options.dryRun !== true, create = options.dryRun !== true, takeIncoming = true } = {},
): Promise<T> {
  // No memory fallback: the memory would end with the command.
  const adapters = { log: warningsOnly(options.json === true) };
  const store = await showingProgress(REBUILDING, (onRebuildProgress) =>
    openWorkrail({
      args: settingArgs(options),
      fallback: "fail",
      adapters,
      upkeep,
      create,
      takeIncoming,
      warmUp: "pause",
      onRebuildProgress,
    }),
  );
  return runFinally(
    () => work(store),
    () => store.close(),
  );
}

/** Opens the store for a read. Leaves unfinished work of earlier processes to others, to save time, and does not create a missing store. */
export function lookIntoStore<T>(options: GlobalOptions, work: (store: Workrail) => Promise<T>): Promise<T> {
  return withStore(options, work, { upkeep: false, create: false });
}

/** Returns a log that prints warnings and errors only. */
export function warningsOnly(json: boolean): Log {
  const print: Log["warn"] = (message, fields = {}) => printWarning(message, fields, json);
  return { debug: ignore, info: ignore, warn: print, error: print };
}

function ignore(): void {}
