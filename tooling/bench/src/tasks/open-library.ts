import { openWorkrail, type Workrail } from "@workrail/runtime";

/** Project of all checkpoints of the benchmark. */
export const PROJECT = "/home/dev/project";

/** No session of the benchmark reaches this, except where the limit itself is measured. */
export const NO_LIMIT = 1_000_000;

/** Opens a store as a program would, independent of the environment. */
export function openLibrary(dataDir: string, maxCheckpoints = NO_LIMIT, env: Readonly<Record<string, string>> = {}): Promise<Workrail> {
  return openWorkrail({ dataDir, project: PROJECT, env, limits: { maxCheckpoints } });
}

/** Opens a store in a database, as one of its nodes does. */
export function openDatabase(url: string, dataDir: string): Promise<Workrail> {
  const env = { WORKRAIL_DATA_DIR: dataDir };
  return openWorkrail({ store: url, project: PROJECT, env, limits: { maxCheckpoints: NO_LIMIT }, upkeep: false });
}
