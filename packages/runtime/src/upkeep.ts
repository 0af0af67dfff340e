import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { removeOld } from "./hooks/forget-sessions.ts";
import type { Store } from "./store.ts";
import type { UpkeepParams, UpkeepReport } from "./upkeep-params.ts";

/**
 * Does the background work of a store that is due, and ends. Each part decides in a change of the catalog what is to be done, so any number of
 * processes may do it at the same time, beside savers.
 */
export async function upkeep(store: Store, { verify = false, onProgress, signal }: UpkeepParams = {}): Promise<UpkeepReport> {
  const { finishErasures, finishRemovals, verifyStore } = await import("./on-demand/caring.ts");
  const { parts, dataDir } = store;
  await store.examineCatalog({ isDue: verify });
  const finishedRemovals = await finishRemovals(parts);
  const { left } = await finishErasures(store.erasingPorts);
  await (await store.transfer()).removeLeftovers();
  if (dataDir !== undefined) removeOld(dataDir, parts.clock);
  const { report, auditRows } = await store.housekeeper.keepHouse({ signal, doubtsClock: true });
  await turnOfTheLoop();
  const compacted = await store.compactor.compactAll({ signal, onProgress: (progress) => onProgress?.({ phase: "compact", ...progress }) });
  const indexed = await store.search.bringUpToDate({ signal, onProgress: (progress) => onProgress?.({ phase: "index", ...progress }) });
  await parts.storage.reserve?.keep();
  const verified =
    verify && signal?.aborted !== true
      ? await verifyStore(store.rebuildPorts, { signal, onProgress: (progress) => onProgress?.({ phase: "verify", ...progress }) })
      : undefined;
  return {
    finishedRemovals,
    left: [...new Set([...left, ...report.left])],
    cleanUp: report,
    auditRows,
    compacted,
    ...(indexed === undefined ? {} : { indexed }),
    ...(verified === undefined ? {} : { verified }),
    isComplete: signal?.aborted !== true,
  };
}
