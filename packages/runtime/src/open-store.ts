import type { RebuildOptions } from "@workrail/core";
import { type Adapters, wire } from "./container.ts";
import type { SessionResolver } from "./session-resolver.ts";
import type { Settings } from "./settings.ts";
import { Store } from "./store.ts";

/** When a process gets ready to search. */
export const WARM_UPS = ["opening", "pause"] as const;
export type WarmUp = (typeof WARM_UPS)[number];

/** What a store is made of. */
export interface StorePlan {
  readonly settings: Settings;
  readonly adapters: Adapters;
  /** Root of the project that saves belong to. */
  readonly project: string | undefined;
  /** Which sessions the process uses; default: none yet. */
  readonly sessions?: SessionResolver;
  /** Whether to do what an earlier process left undone. Default `true`. */
  readonly upkeep?: boolean;
  /** Default: `true`. */
  readonly takeIncoming?: boolean | undefined;
  /** Default: `pause`. */
  readonly warmUp?: WarmUp;
  /** Told how far it is when a catalog that was lost is rebuilt. */
  readonly onRebuildProgress?: RebuildOptions["onProgress"];
}

/** Opens a store. Before it resolves it rebuilds a lost catalog, finishes erasures and takes in incoming saves; other work that earlier processes left is done soon after, if wanted. */
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
  const store = new Store(await wire(settings, adapters, sessions), project);
  try {
    await store.recover({ onProgress: onRebuildProgress });
    await store.finishErasures();
    if (takeIncoming) await store.takeIncoming();
  } catch (error) {
    await store.close();
    throw error;
  }
  if (upkeep && warmUp === "opening") await store.warmUp();
  if (upkeep) store.finishEarlierWork();
  return store;
}
