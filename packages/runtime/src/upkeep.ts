import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Job } from "@workrail/core";
import { claimJob } from "./claim-job.ts";
import { removeOld } from "./hooks/forget-sessions.ts";
import type { Store } from "./store.ts";
import type { UpkeepParams, UpkeepReport } from "./upkeep-params.ts";

/**
 * Does the background work of a store that is due, and ends. Each part decides in a change of the catalog what is to be done, so any number of
 * processes may do it at the same time, beside savers. Where several machines share the store, a job that one process runs is skipped by the others.
 */
export async function upkeep(store: Store, { verify = false, onProgress, signal }: UpkeepParams = {}): Promise<UpkeepReport> {
  const { finishErasures, finishRemovals, verifyStore } = await import("./on-demand/caring.ts");
  const { parts, dataDir } = store;
  const elsewhere: Job[] = [];
  const unlessElsewhere = async <T>(job: Job, work: () => Promise<T>): Promise<T | undefined> => {
    const claimed = await claimJob(parts.storage, job, work);
    if (claimed === undefined) elsewhere.push(job);
    return claimed?.done;
  };
  await store.examineCatalog({ isDue: verify });
  const finishedRemovals = await finishRemovals(parts);
  const { left } = await finishErasures(store.erasingPorts);
  await (await store.transfer()).removeLeftovers();
  if (dataDir !== undefined) removeOld(dataDir, parts.clock);
  const kept = await unlessElsewhere("clean up", () => store.housekeeper.keepHouse({ signal, doubtsClock: true }));
  await yieldToEventLoop();
  const compacted = await unlessElsewhere("compact", () =>
    store.compactor.compactAll({ signal, onProgress: (progress) => onProgress?.({ phase: "compact", ...progress }) }),
  );
  const indexed = await unlessElsewhere("index", () =>
    store.search.bringUpToDate({ signal, onProgress: (progress) => onProgress?.({ phase: "index", ...progress }) }),
  );
  await parts.storage.reserve?.keep();
  const verified =
    verify && signal?.aborted !== true
      ? await unlessElsewhere("verify", () =>
          verifyStore(store.rebuildPorts, { signal, onProgress: (progress) => onProgress?.({ phase: "verify", ...progress }) }),
        )
      : undefined;
  return {
    finishedRemovals,
    left: [...new Set([...left, ...(kept?.report.left ?? [])])],
    ...(kept === undefined ? {} : { cleanUp: kept.report }),
    auditRows: kept?.auditRows ?? 0,
    ...(compacted === undefined ? {} : { compacted }),
    ...(indexed === undefined ? {} : { indexed }),
    ...(verified === undefined ? {} : { verified }),
    elsewhere,
    isComplete: signal?.aborted !== true,
  };
}
