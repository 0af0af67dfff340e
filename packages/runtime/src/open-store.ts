import { type Adapters, wire } from "./container.ts";
import type { SessionResolver } from "./session-resolver.ts";
import type { Settings } from "./settings.ts";
import { Store } from "./store.ts";

/** What a store is made of. */
export interface StorePlan {
  readonly settings: Settings;
  readonly adapters: Adapters;
  /** Root of the project that saves belong to. */
  readonly project: string | undefined;
  /** Which sessions the process uses; default: none yet. */
  readonly sessions?: SessionResolver;
}

/** Opens a store; a catalog that was lost is rebuilt, and what an earlier process left undone is done soon. */
export async function openStore({ settings, adapters, project, sessions }: StorePlan): Promise<Store> {
  const store = new Store(await wire(settings, adapters, sessions), project);
  try {
    await store.recover();
  } catch (error) {
    await store.close();
    throw error;
  }
  store.finishEarlierWork();
  return store;
}
