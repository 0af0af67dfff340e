import {
  type AuditCheck,
  type AuditCut,
  type AuditEvent,
  type AuditQuery,
  type AuditWalk,
  auditRows,
  type BlobRef,
  type CatalogChange,
  type CatalogPort,
  chained,
  type ChainedRecovery,
  type ChainedStorage,
  type ChangePage,
  type ChangeQuery,
  changeForm,
  checkAudit,
  type CheckpointId,
  type CheckpointPage,
  type CheckpointQuery,
  type CheckpointRecord,
  commit,
  type CommitOutcome,
  cutRows,
  type Discrepancies,
  type Erasure,
  fill,
  findCheckpoint,
  findDiscrepancies,
  findHead,
  findSession,
  hold,
  listChanges,
  listErasures,
  type LoggedEvent,
  markDamaged,
  type NewRecord,
  queryCheckpoints,
  querySessions,
  queryTrash,
  reclaimBlobs,
  reconcile,
  release,
  type RemoveBlobs,
  type Session,
  type SessionFacts,
  type SessionId,
  type SessionPage,
  type SessionQuery,
  type Storage,
  type StoredForm,
  type StoreUsage,
  sumUsage,
  type TrashPage,
  type TrashQuery,
} from "@workrail/core";
import { sha256 } from "./environment.ts";

/** Storage of an adapter with a chained audit log, and with the rules and reads of core as methods of its catalog. */
export interface StorageInUse extends ChainedStorage {
  readonly catalog: CatalogInUse;
  readonly recovery: RecoveryInUse;
}

/** Gives tests the storage of an adapter. Chains the audit log, unless the adapter's wrapper did. */
export function storageInUse(storage: Storage): StorageInUse {
  const made = chained(storage, (text) => sha256.sha256(text));
  return { ...made, catalog: new CatalogInUse(made), recovery: new RecoveryInUse(made) };
}

/** A catalog with each rule and each read of core as a method. */
class CatalogInUse implements CatalogPort {
  readonly read: CatalogPort["read"];
  readonly change: CatalogPort["change"];
  readonly #chain: ChainedStorage["chain"];

  constructor({ catalog, chain }: ChainedStorage) {
    this.read = (reads) => catalog.read(reads);
    this.change = (rule) => catalog.change(rule);
    this.#chain = chain;
  }

  commit(change: CatalogChange): Promise<CommitOutcome> {
    return this.change(commit(change));
  }

  find(id: CheckpointId): Promise<CheckpointRecord | undefined> {
    return findCheckpoint(this, id);
  }

  head(sessionId: SessionId): Promise<CheckpointRecord | undefined> {
    return findHead(this, sessionId);
  }

  list(query: CheckpointQuery): Promise<CheckpointPage> {
    return queryCheckpoints(this, query);
  }

  session(id: SessionId): Promise<Session | undefined> {
    return findSession(this, id);
  }

  sessions(query: SessionQuery): Promise<SessionPage> {
    return querySessions(this, query);
  }

  trash(query: TrashQuery): Promise<TrashPage> {
    return queryTrash(this, query);
  }

  usage(): Promise<StoreUsage> {
    return sumUsage(this);
  }

  auditLog(query: AuditQuery): Promise<readonly LoggedEvent[]> {
    return auditRows(this, query);
  }

  checkAudit(walk: AuditWalk): Promise<AuditCheck> {
    return checkAudit(this.#chain, walk);
  }

  cutAudit(cut: AuditCut): Promise<number> {
    return this.change(cutRows(cut));
  }

  changes(query: ChangeQuery): Promise<ChangePage | undefined> {
    return listChanges(this, query);
  }

  replaceBlob(expected: CheckpointRecord, becomes: StoredForm, write: () => Promise<void>): Promise<boolean> {
    return this.change(changeForm(expected, becomes, write));
  }

  markDamaged(expected: CheckpointRecord, audit: AuditEvent, putAside: () => Promise<boolean>): Promise<boolean> {
    return this.change(markDamaged(expected, audit, putAside));
  }

  reconcile(repair: boolean): Promise<Discrepancies> {
    return repair ? this.change(reconcile()) : findDiscrepancies(this);
  }

  erasures(): Promise<readonly Erasure[]> {
    return listErasures(this);
  }

  reclaim(refs: readonly BlobRef[] | undefined, remove: RemoveBlobs): Promise<readonly BlobRef[]> {
    return reclaimBlobs(this, refs, remove);
  }

  holdRemovals(holder: string, until: Date): Promise<void> {
    return this.change(hold({ holder, until }));
  }

  releaseRemovals(holder: string): Promise<void> {
    return this.change(release(holder));
  }
}

/** Recovery of a catalog from records and session facts. */
class RecoveryInUse implements ChainedRecovery {
  readonly state: ChainedRecovery["state"];
  readonly sessionFacts: ChainedRecovery["sessionFacts"];
  readonly replaceAll: ChainedRecovery["replaceAll"];
  readonly #blobs: ChainedStorage["blobs"];

  constructor({ recovery, blobs }: ChainedStorage) {
    this.state = (options) => recovery.state(options);
    this.sessionFacts = () => recovery.sessionFacts();
    this.replaceAll = (content, old) => recovery.replaceAll(content, old);
    this.#blobs = blobs;
  }

  async needsRebuild(): Promise<boolean> {
    return (await this.state()) === "lost";
  }

  async examine({ isDue = false }: { readonly isDue?: boolean } = {}): Promise<void> {
    await this.state({ deep: isDue ? "always" : "ifDue" });
  }

  refill(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): Promise<void> {
    return this.replaceAll(
      fill({ records, sessions, audit }, (key) => this.#blobs.refOf(key)),
      "kept-aside",
    );
  }
}
