import type { AuditEvent } from "../model/audit.ts";
import type { CheckpointRecord, NewRecord } from "../model/checkpoint.ts";
import type { BlobRef, CheckpointId } from "../model/ids.ts";
import type { SessionFacts } from "../model/session.ts";
import { copied } from "../platform.ts";
import type { BlobStore } from "../ports/blob-store.ts";
import type { Catalog, CatalogRecovery, RemoveBlob, StoredForm } from "../ports/catalog.ts";
import type { ChainedStorage, StorageInUse } from "../ports/storage.ts";
import type { CatalogPort } from "./catalog-port.ts";
import { fill } from "./fill.ts";
import { checkAudit } from "./queries/check-audit.ts";
import { findSession } from "./queries/find-session.ts";
import { listChanges } from "./queries/list-changes.ts";
import { listCheckpoints } from "./queries/list-checkpoints.ts";
import { listErasures } from "./queries/list-erasures.ts";
import { listSessions } from "./queries/list-sessions.ts";
import { listTrash } from "./queries/list-trash.ts";
import { sumUsage } from "./queries/sum-usage.ts";
import { changeForm } from "./rules/change-form.ts";
import { commit } from "./rules/commit.ts";
import { cutAudit } from "./rules/cut-audit.ts";
import { headOf } from "./rules/head-of.ts";
import { hold } from "./rules/hold.ts";
import { markDamaged } from "./rules/mark-damaged.ts";
import { reclaim } from "./rules/reclaim.ts";
import { discrepanciesOf, reconcile } from "./rules/reconcile.ts";
import { release } from "./rules/release.ts";

/** Blobs that one step removes. */
const RECLAIM_BATCH = 100;

/** Chained rows, and where blobs are. */
export type CatalogParts = Pick<ChainedStorage, "catalog" | "recovery" | "chain"> & { readonly blobs: Pick<BlobStore, "refOf"> };

/** Offers the operations of a catalog over its rows. Copies its input; the adapter copies its answers where a caller could change rows. */
export function catalogOver({ catalog, recovery, chain, blobs }: CatalogParts): Catalog & CatalogRecovery {
  return {
    commit: (change) => catalog.change(commit(copied(change))),
    find: (id) => findCheckpoint(catalog, id),
    head: async (session) => (await catalog.read({ head: headOf(session) })).head[0]?.record,
    list: (query) => listCheckpoints(catalog, query),
    session: (id) => findSession(catalog, id),
    sessions: (query) => listSessions(catalog, query),
    trash: (query) => listTrash(catalog, query),
    usage: () => sumUsage(catalog, new Date()),
    auditLog: async (query) => (await catalog.read({ rows: { of: "audit", query } })).rows,
    checkAudit: (walk) => checkAudit(chain, walk),
    cutAudit: (cut) => catalog.change(cutAudit(copied(cut))),
    changes: (query) => listChanges(catalog, query),
    replaceBlob: (expected: CheckpointRecord, becomes: StoredForm, write: () => Promise<void>) =>
      catalog.change(changeForm(expected, becomes, write)),
    markDamaged: (expected: CheckpointRecord, audit: AuditEvent, putAside: () => Promise<boolean>) =>
      catalog.change(markDamaged(expected, copied(audit), putAside)),
    reconcile: async (repair) => {
      return repair ? catalog.change(reconcile()) : discrepanciesOf((await catalog.read({ found: { of: "contradictions" } })).found);
    },
    erasures: () => listErasures(catalog),
    reclaim: (refs, remove) => reclaimAll(catalog, refs, remove),
    holdRemovals: (holder, until) => catalog.change(hold({ holder, until: copied(until) })),
    releaseRemovals: (holder) => catalog.change(release(holder)),

    needsRebuild: async () => (await recovery.state()) === "lost",
    examine: async ({ isDue = false } = {}) => void (await recovery.state({ deep: isDue ? "always" : "ifDue" })),
    sessionFacts: () => recovery.sessionFacts(),
    replaceAll: (records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent) =>
      recovery.replaceAll(
        fill(copied({ records, sessions, audit }), (key) => blobs.refOf(key)),
        "kept-aside",
      ),
  };
}

/** Replaces the catalog of a storage by its operations, as use cases take them. */
export function inUse(storage: ChainedStorage): StorageInUse {
  const catalog = catalogOver(storage);
  return { ...storage, catalog, recovery: catalog };
}

async function findCheckpoint(catalog: CatalogPort, id: CheckpointId): Promise<CheckpointRecord | undefined> {
  const { row } = await catalog.read({ row: { of: "checkpoint", id } });
  return row?.trashedAt === undefined ? row?.record : undefined;
}

/** A removed blob may have been the last one that needed another, which can be removed then. */
async function reclaimAll(catalog: CatalogPort, refs: readonly BlobRef[] | undefined, remove: RemoveBlob): Promise<readonly BlobRef[]> {
  const removed = new Set<BlobRef>();
  for (;;) {
    const waiting = refs?.filter((ref) => !removed.has(ref));
    const batch = await catalog.change(reclaim({ refs: waiting, now: new Date(), limit: RECLAIM_BATCH, remove }));
    for (const ref of batch) removed.add(ref);
    if (batch.length === 0) return [...removed];
  }
}
