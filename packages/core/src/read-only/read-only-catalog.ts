import type { AuditDigest, AuditEvent, LoggedEvent } from "../model/audit.ts";
import type { CheckpointRecord, NewRecord } from "../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { Session, SessionFacts } from "../model/session.ts";
import type {
  AuditCheck,
  AuditQuery,
  AuditWalk,
  Catalog,
  CatalogRecovery,
  ChangePage,
  ChangeQuery,
  CheckpointPage,
  CheckpointQuery,
  Discrepancies,
  Erasure,
  SessionPage,
  SessionQuery,
  StoreUsage,
  TrashPage,
  TrashQuery,
} from "../ports/catalog.ts";
import { readOnly, refuse } from "./read-only-error.ts";

/** Runs an operation on the current catalog, which stays open meanwhile. */
export type UseCatalog = <T>(use: (source: CatalogSource) => Promise<T>) => Promise<T>;

/** Rebuilds a copy of the store's catalog. `fill` returns true when the copy was lost. */
export type RebuildCopy = (fill: (recovery: CatalogRecovery) => Promise<boolean>) => Promise<void>;

export interface CatalogSource {
  readonly catalog: Catalog;
  readonly recovery: CatalogRecovery;
}

/** Catalog for readers. Every change is refused. */
export class ReadOnlyCatalog implements Catalog, CatalogRecovery {
  readonly #source: UseCatalog;
  readonly #rebuildCopy: RebuildCopy | undefined;
  #chaining: { readonly digest: AuditDigest | undefined } | undefined;

  /** @param rebuildCopy absent: a lost catalog stays lost. */
  constructor(use: UseCatalog, rebuildCopy: RebuildCopy | undefined) {
    this.#source = use;
    this.#rebuildCopy = rebuildCopy;
  }

  find(id: CheckpointId): Promise<CheckpointRecord | undefined> {
    return this.#use(({ catalog }) => catalog.find(id));
  }

  head(session: SessionId): Promise<CheckpointRecord | undefined> {
    return this.#use(({ catalog }) => catalog.head(session));
  }

  list(query: CheckpointQuery): Promise<CheckpointPage> {
    return this.#use(({ catalog }) => catalog.list(query));
  }

  session(id: SessionId): Promise<Session | undefined> {
    return this.#use(({ catalog }) => catalog.session(id));
  }

  sessions(query: SessionQuery): Promise<SessionPage> {
    return this.#use(({ catalog }) => catalog.sessions(query));
  }

  trash(query: TrashQuery): Promise<TrashPage> {
    return this.#use(({ catalog }) => catalog.trash(query));
  }

  usage(): Promise<StoreUsage> {
    return this.#use(({ catalog }) => catalog.usage());
  }

  auditLog(query: AuditQuery): Promise<readonly LoggedEvent[]> {
    return this.#use(({ catalog }) => catalog.auditLog(query));
  }

  changes(query: ChangeQuery): Promise<ChangePage | undefined> {
    return this.#use(({ catalog }) => catalog.changes(query));
  }

  checkAudit(walk: AuditWalk): Promise<AuditCheck> {
    return this.#use(({ catalog }) => catalog.checkAudit(walk));
  }

  erasures(): Promise<readonly Erasure[]> {
    return this.#use(({ catalog }) => catalog.erasures());
  }

  readonly cutAudit: typeof refuse = refuse;

  async reconcile(repair: boolean): Promise<Discrepancies> {
    if (repair) throw readOnly();
    return this.#use(({ catalog }) => catalog.reconcile(false));
  }

  chainBy(digest: AuditDigest | undefined): void {
    this.#chaining = { digest };
  }

  needsRebuild(): Promise<boolean> {
    return this.#use(({ recovery }) => recovery.needsRebuild());
  }

  async *sessionFacts(): AsyncGenerator<SessionFacts> {
    yield* await this.#use(async ({ recovery }) => recovery.sessionFacts());
  }

  async replaceAll(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): Promise<void> {
    if (this.#rebuildCopy === undefined) throw readOnly();
    await this.#rebuildCopy(async (recovery) => {
      this.#chain(recovery);
      // The store's own catalog may have been repaired and used since.
      const isLost = await recovery.needsRebuild();
      if (isLost) await recovery.replaceAll(records, sessions, audit);
      return isLost;
    });
  }

  /** No-op: a read-only store cannot repair. */
  async examine(): Promise<void> {}

  /** Sets the chain digest on every catalog in turn, because the next one may be another copy. */
  #use<T>(use: (source: CatalogSource) => Promise<T>): Promise<T> {
    return this.#source((source) => {
      this.#chain(source.recovery);
      return use(source);
    });
  }

  #chain(recovery: CatalogRecovery): void {
    if (this.#chaining !== undefined) recovery.chainBy?.(this.#chaining.digest);
  }

  readonly commit: typeof refuse = refuse;
  readonly replaceBlob: typeof refuse = refuse;
  readonly markDamaged: typeof refuse = refuse;
  readonly reclaim: typeof refuse = refuse;
  readonly holdRemovals: typeof refuse = refuse;
  readonly releaseRemovals: typeof refuse = refuse;
}
