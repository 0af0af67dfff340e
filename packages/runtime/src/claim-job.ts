import type { Job, Storage } from "@workrail/core";

/** Does a job unless another process is doing it; `undefined` then. */
export async function claimJob<T>(
  storage: Pick<Storage, "claimJob">,
  job: Job,
  work: () => Promise<T>,
): Promise<{ readonly done: T } | undefined> {
  return storage.claimJob === undefined ? { done: await work() } : storage.claimJob(job, work);
}
