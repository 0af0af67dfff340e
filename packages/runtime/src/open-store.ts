import type { RebuildOptions } from "@workrail/core";
import { type Adapters, wire } from "./container.ts";
import type { WarmUp } from "./open-options.ts";
import type { SessionResolver } from "./session-resolver.ts";
import type { Settings } from "./settings.ts";
import { Store } from "./store.ts";

/** Configuration of a store to open. */
export interface StorePlan {
  readonly settings: Settings;
  readonly adapters: Adapters;
  /** Root of the project of new saves. */
  readonly project: string | undefined;
  /** Tracks the sessions that the process uses. Default: a new resolver. */
  readonly sessions?: SessionResolver;
  /** True to do work that an earlier process left undone. Default `true`. */
  readonly upkeep?: boolean;
  /** Default: `true`. */
  readonly takeIncoming?: boolean | undefined;
  /** Default: `pause`. */
  readonly warmUp?: WarmUp;
  /** Reports the progress of rebuilding a lost catalog. */
  readonly onRebuildProgress?: RebuildOptions["onProgress"];
}

/**
 * Opens a store. Before resolving it rebuilds a lost catalog, finishes erasures and takes in incoming saves. Other work left by earlier
 * processes starts soon after, if `upkeep` is on.
 */
export async function openStore({
  settings,
  adapters,
  project,
  sessions,
  upkeep = true,
  takeIncoming = true,
  warmUp,
  onRebuildProgress,
}: StorePlan): Promise<Store> {
  const store = new Store(await wire(settings, adapters, sessions), project, { takesIncoming: takeIncoming });
  try {
    await store.recover({ onProgress: onRebuildProgress });
    await store.finishErasures();
    await store.takeIncoming();
  } catch (error) {
    await store.close();
    throw error;
  }
  if (upkeep && warmUp === "opening") await store.warmUp();
  if (upkeep) store.finishEarlierWork();
  return store;
}
