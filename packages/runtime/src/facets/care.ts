import { parseCheckpointId, parseSessionId, listTrash } from "@workrail/core";
import { selectionOf } from "../clean-up-params.ts";
import { eraseInputOf, type EraseParams, type EraseResult, eraseResultOf } from "../erasing.ts";
import { forgetSessions } from "../hooks/forget-sessions.ts";
import { metadataOf } from "../metadata.ts";
import { optional } from "../check-params.ts";
import { type StoreStatus, storeStatus } from "../reports/store-status.ts";
import type { Store } from "../store.ts";
import { upkeep } from "../upkeep.ts";
import type { Care } from "../workrail.ts";
import { type Facet, MAYBE_PARAMS, PARAMS } from "./operation.ts";

/** Loaded on demand: loading is slow, and only some calls need it. */
const caring = () => import("../on-demand/caring.ts");

/** Keeps a store small, whole and up to date. */
export const care: Facet<Care> = {
  storeStatus: { needs: "own way", runs: "alone", run: statusOf },
  verifyStore: {
    wholeStore: true,
    needs: "disk",
    params: MAYBE_PARAMS,
    async run(store, options) {
      await store.examineCatalog({ isDue: true });
      return (await caring()).verifyStore(store.rebuildPorts, options);
    },
  },
  repairStore: {
    scope: "admin",
    wholeStore: true,
    needs: "disk",
    changes: "unless dry run",
    params: MAYBE_PARAMS,
    async run(store, options) {
      await store.examineCatalog({ isDue: true });
      if (options?.dryRun !== true) await store.finishErasures();
      return (await caring()).repairStore(store.rebuildPorts, options);
    },
  },
  rebuildCatalog: {
    scope: "admin",
    wholeStore: true,
    needs: "disk",
    changes: true,
    params: MAYBE_PARAMS,
    runs: "once",
    async run(store, options) {
      const report = await (await caring()).rebuildCatalog(store.rebuildPorts, options);
      await store.finishErasures();
      return report;
    },
  },
  collectGarbage: {
    scope: "admin",
    wholeStore: true,
    needs: "disk",
    changes: true,
    run: async ({ rebuildPorts }) => (await caring()).collectGarbage(rebuildPorts),
  },
  upkeep: { scope: "admin", wholeStore: true, needs: "disk", changes: true, params: MAYBE_PARAMS, run: upkeep },
  scanStore: {
    wholeStore: true,
    needs: "disk",
    params: MAYBE_PARAMS,
    async run({ parts, loadPorts }, { sessionId, ...options } = {}) {
      const session = optional(sessionId, (id) => parseSessionId(id));
      const { scanner, findSecrets } = parts.screening;
      return (await caring()).scanStore({ ...loadPorts, scanner, findSecrets }, { ...options, sessionId: session });
    },
  },
  cleanUp: {
    scope: "admin",
    wholeStore: true,
    needs: "disk",
    changes: "unless dry run",
    params: MAYBE_PARAMS,
    async run(store, { dryRun, onProgress, ...what } = {}) {
      const selection = selectionOf(what);
      await store.parts.accesses.write();
      if (selection === undefined) return store.housekeeper.cleanUp({ dryRun, onProgress });
      const report = await (await caring()).removeCheckpoints(store.erasingPorts, selection, { dryRun, onProgress });
      if (!report.dryRun) store.requestUpkeep(report.removed.filter(({ to }) => to === "nowhere").map((each) => each.sessionId));
      return report;
    },
  },
  deleteCheckpoint: {
    scope: "admin",
    needs: "own way",
    changes: true,
    params: PARAMS,
    runs: "alone",
    run: (store, { checkpointId, agentId }) => erase(store, { checkpointIds: [checkpointId], agentId }),
  },
  erase: { scope: "admin", needs: "own way", changes: "unless dry run", params: PARAMS, runs: "alone", run: erase },
  listTrash: {
    needs: "disk",
    params: MAYBE_PARAMS,
    async run(store, { sessionId } = {}) {
      const entries = await listTrash(store.parts, { sessionId: optional(sessionId, (id) => parseSessionId(id)) });
      const { only } = store.scopeOf({ sessionId });
      return entries
        .filter(({ record }) => only === undefined || record.project === only)
        .map(({ record, trashedAt }) => ({ ...metadataOf(record), trashedAt: trashedAt.toISOString() }));
    },
  },
  restoreFromTrash: {
    needs: "disk",
    changes: true,
    params: PARAMS,
    async run({ parts }, { sessionId, checkpointIds }) {
      const ids = checkpointIds?.map((id) => parseCheckpointId(id));
      const restored = await (await caring()).restoreFromTrash(parts, { sessionId: parseSessionId(sessionId), checkpointIds: ids });
      return { sessionId, checkpointIds: restored.map(({ id }) => id) };
    },
  },
  emptyTrash: {
    scope: "admin",
    wholeStore: true,
    needs: "disk",
    changes: "unless dry run",
    params: MAYBE_PARAMS,
    async run(store, { sessionId, ...how } = {}) {
      const session = optional(sessionId, (id) => parseSessionId(id));
      const report = await (await caring()).emptyTrash(store.erasingPorts, { ...how, sessionId: session });
      if (!report.dryRun) store.requestUpkeep(report.removed.map((each) => each.sessionId));
      return report;
    },
  },
  takeIncoming: { remote: "here", wholeStore: "behind", needs: "own way", runs: "alone", run: (store, saves) => store.takeIncoming(saves) },
  finishIndex: { needs: "read", params: MAYBE_PARAMS, run: ({ search }, options = {}) => search.finishIndex(options) },
};

/** Returns the state of a store. */
export function statusOf(store: Store): Promise<StoreStatus> {
  const { storage, catalog, settings } = store.parts;
  return store.using(() => storeStatus({ storage: { ...storage, catalog }, limits: settings.limits }));
}

/** Erases what a caller with a right to some projects names: chosen in its part of the store, and carried out in the whole. */
async function eraseOwn(own: Store, whole: Store, params: EraseParams): Promise<EraseResult> {
  const input = eraseInputOf(params);
  const chosen = await own.using(async () => (await caring()).eraseCheckpoints(own.erasingPorts, { ...input, dryRun: true }));
  const sessions = new Set(chosen.erased.map(({ sessionId }) => sessionId));
  for (const sessionId of sessions) await own.using(() => own.checkChangeable(sessionId));
  const result = await erase(own.subject === undefined ? whole : whole.partFor({ subject: own.subject }), params);
  const ids = new Set(result.erased.map(({ checkpointId }) => checkpointId));
  const left = result.left.filter((sentence) => [...ids].some((id) => sentence.includes(id)));
  return { ...result, left, copies: { backups: [], exports: [], exportFiles: [], quarantineFiles: [], replacedStores: [] } };
}

/** Erases checkpoints or a session from a store. */
export async function erase(store: Store, params: EraseParams): Promise<EraseResult> {
  if (store.whole !== undefined) return eraseOwn(store, store.whole, params);
  const input = eraseInputOf(params);
  const report = await store.using(async () => (await caring()).eraseCheckpoints(store.erasingPorts, input));
  if (!report.dryRun) {
    const sessions = report.erased.map((each) => each.sessionId);
    store.requestUpkeep(sessions);
    for (const session of sessions) {
      store.savePorts.recentJson?.forget(session);
      store.savePorts.recentHeads?.forget(session);
    }
    // Notes of a deleted checkpoint stay, since the next turn may save its words again. Notes of an erased session are removed.
    if (store.dataDir !== undefined && "sessionIds" in input) forgetSessions(store.dataDir, input.sessionIds);
  }
  return eraseResultOf(report, store.dataDir);
}
