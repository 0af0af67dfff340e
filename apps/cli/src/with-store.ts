import { type Log, runThen } from "@workrail/core";
import type { Workrail } from "@workrail/runtime";
import { printWarning } from "./print.ts";
import { countingByPhase, showingProgress } from "./show-progress.ts";
import { settingArgs } from "./setting-options.ts";

/** The options of every command; settings are among them. */
export interface GlobalOptions {
  readonly dataDir?: string;
  readonly json?: true;
  /** Of those that have it. */
  readonly dryRun?: true;
}

/** A catalog that was lost, whatever the command is for. */
const REBUILDING = countingByPhase({ read: "Rebuilding the catalog, files read:", prove: "Rebuilding the catalog, files proven:" });

/**
 * Does one piece of work on the store, and closes it: a reader as slow as a pager must not keep it open. The library is
 * loaded here and not before, so that help and wrong usage are answered at once.
 */
export async function withStore<T>(
  options: GlobalOptions,
  work: (store: Workrail) => Promise<T>,
  // Whoever asks what would be done wants nothing done.
  { upkeep = options.dryRun !== true, create = options.dryRun !== true } = {},
): Promise<T> {
  const { openWorkrail } = await import("./library/opening.ts");
  // A memory that ends with the command keeps nothing.
  const adapters = { log: warningsOnly(options.json === true) };
  const store = await showingProgress(REBUILDING, (onRebuildProgress) =>
    openWorkrail({ args: settingArgs(options), fallback: "fail", adapters, upkeep, create, warmUp: "pause", onRebuildProgress }),
  );
  return runThen(
    () => work(store),
    () => store.close(),
  );
}

/**
 * The same for a command that only looks: it leaves to others what earlier processes left undone, so that nobody waits for that, and it makes
 * no store where there is none.
 */
export function lookIntoStore<T>(options: GlobalOptions, work: (store: Workrail) => Promise<T>): Promise<T> {
  return withStore(options, work, { upkeep: false, create: false });
}

/** Prints warnings and errors, and nothing else. */
export function warningsOnly(json: boolean): Log {
  const print: Log["warn"] = (message, fields = {}) => printWarning(message, fields, json);
  return { debug: ignore, info: ignore, warn: print, error: print };
}

function ignore(): void {}
