import { openWorkrail, type Workrail } from "@workrail/runtime";

/** The project that all of the benchmark's checkpoints belong to. */
export const PROJECT = "/home/dev/project";

/** No session of the benchmark reaches it, unless reaching it is what is measured. */
export const NO_LIMIT = 1_000_000;

/** Opens a store as a program would, apart from whatever the environment says. */
export function openLibrary(dataDir: string, maxCheckpoints = NO_LIMIT, env: Readonly<Record<string, string>> = {}): Promise<Workrail> {
  return openWorkrail({ dataDir, project: PROJECT, env, limits: { maxCheckpoints } });
}
