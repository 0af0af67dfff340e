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

/** Does something with a catalog as it is now, which stays open meanwhile. */
export type UseCatalog = <T>(use: (source: CatalogSource) => Promise<T>) => Promise<T>;

export interface CatalogSource {
  readonly catalog: Catalog;
  readonly recovery: CatalogRecovery;
}

/** A catalog for those who only read. Whatever would change it is refused. */
export class ReadOnlyCatalog implements Catalog, CatalogRecovery {
  readonly #source: UseCatalog;
  readonly #isCopy: boolean;
  #chaining: { readonly digest: AuditDigest | undefined } | undefined;

  /** @param isCopy of the store's own: one that is lost may be rebuilt, for nothing of the store is changed by that. */
  constructor(use: UseCatalog, isCopy: boolean) {
    this.#source = use;
    this.#isCopy = isCopy;
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
    if (!this.#isCopy) throw readOnly();
    await this.#use(({ recovery }) => recovery.replaceAll(records, sessions, audit));
  }

  /** What it finds, nobody could put right. */
  async examine(): Promise<void> {}

  /** What was said of the chain is said to each catalog in turn: the next may be another copy. */
  #use<T>(use: (source: CatalogSource) => Promise<T>): Promise<T> {
    return this.#source((source) => {
      if (this.#chaining !== undefined) source.recovery.chainBy?.(this.#chaining.digest);
      return use(source);
    });
  }

  readonly commit: typeof refuse = refuse;
  readonly replaceBlob: typeof refuse = refuse;
  readonly markDamaged: typeof refuse = refuse;
  readonly reclaim: typeof refuse = refuse;
  readonly holdRemovals: typeof refuse = refuse;
  readonly releaseRemovals: typeof refuse = refuse;
}
