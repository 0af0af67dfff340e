import type { Limits } from "@workrail/core";
import { type Adapters, wire } from "./container.ts";
import { findProject } from "./project.ts";
import { type Environment, readSettings } from "./settings.ts";
import { Store } from "./store.ts";
import type { Workrail } from "./workrail.ts";

export interface OpenOptions {
  /** Default: `WORKRAIL_DATA_DIR`, else the platform's folder for user data. */
  readonly dataDir?: string | undefined;
  /** Overrides single limits. */
  readonly limits?: Partial<Limits> | undefined;
  /** Root of the project that saves belong to; `null`: none. Default: `WORKRAIL_PROJECT`, else found from `cwd`. */
  readonly project?: string | null | undefined;
  /** Default: the process's working directory. */
  readonly cwd?: string | undefined;
  /** Default: the process's environment. */
  readonly env?: Environment | undefined;
  /** Parts to use instead of ours. */
  readonly adapters?: Adapters | undefined;
}

/**
 * Opens a store, and creates it where there is none. A catalog that was lost is first rebuilt from the files.
 *
 * @throws INVALID_INPUT for settings that make no sense; STORAGE_UNAVAILABLE, STORE_IN_USE, UNSUPPORTED_VERSION for the store.
 */
export async function openWorkrail(options: OpenOptions = {}): Promise<Workrail> {
  const env = options.env ?? process.env;
  const settings = readSettings(env, options);
  const parts = await wire(settings, options.adapters ?? {});
  const project = options.project === undefined ? (settings.project ?? findProject(options.cwd ?? process.cwd())) : options.project;
  const store = new Store(parts, project ?? undefined);
  try {
    await store.recover();
  } catch (error) {
    await store.close();
    throw error;
  }
  store.finishEarlierWork();
  return store;
}
