import type { AuditDigest, AuditEvent, LoggedEvent } from "../model/audit.ts";
import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { BlobRef, CheckpointId, SessionId } from "../model/ids.ts";
import type { Session } from "../model/session.ts";
import type {
  AuditCheck,
  AuditCut,
  AuditQuery,
  AuditWalk,
  Catalog,
  CatalogChange,
  ChangePage,
  ChangeQuery,
  CheckpointPage,
  CheckpointQuery,
  CommitOutcome,
  Discrepancies,
  Erasure,
  RemoveBlob,
  Rewriting,
  SessionPage,
  SessionQuery,
  StoredForm,
  StoreUsage,
  TrashPage,
  TrashQuery,
} from "../ports/catalog.ts";
import { copied } from "../platform.ts";
import type { CatalogState } from "./catalog-state.ts";

/** Removals carried out at a time: few enough that a waiting save hardly notices. */
const RECLAIM_BATCH = 100;

/**
 * The catalog's contract over a `CatalogState`, for an adapter that keeps one. It adds how the state is looked at, how
 * changes take turns, and how one is applied so that it lasts. What is given is copied here; what is handed out the
 * adapter copies, wherever somebody could change it.
 */
export abstract class StateCatalog implements Catalog {
  readonly #own: AuditDigest;
  #keyed: AuditDigest | undefined;

  /** @param digest chains the audit log: SHA-256. */
  constructor(digest: AuditDigest) {
    this.#own = digest;
  }

  /** As `CatalogRecovery` has it. */
  chainBy(digest: AuditDigest | undefined): void {
    this.#keyed = digest;
  }

  /** A state as a rewriting has it. What comes later is chained as that says. */
  protected rewritten(state: CatalogState, rewriting: Rewriting): CatalogState {
    this.#keyed = rewriting.chained.to;
    return state.rewritten(rewriting, this.#own);
  }

  /** What the audit log is chained by: of a sealed store, by what only who has its key can make. */
  protected get auditDigest(): AuditDigest {
    return this.#keyed ?? this.#own;
  }

  /** What is seen is as durable as this adapter makes anything. */
  protected abstract look<T>(look: (state: CatalogState) => T): Promise<T>;
  /** Runs work after all changes before it, and before all that come later. */
  protected abstract inTurn<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Within a turn: applies a change, and resolves when it lasts; where it fails, nothing was changed.
   *
   * @param appended the checkpoint that comes with it, for an error whose outcome is unknown to name.
   */
  protected abstract apply<T>(change: (state: CatalogState) => T, appended?: CheckpointId): Promise<T>;
  /** Within a turn. */
  protected abstract hasBlob(ref: BlobRef): boolean | Promise<boolean>;
  /** Within a turn, before blobs are removed: corrects what is told beside them by whoever left one that was never recorded. */
  protected async beforeRemoving(_refs: readonly BlobRef[]): Promise<void> {}

  commit(change: CatalogChange): Promise<CommitOutcome> {
    const given = copied(change);
    return this.inTurn(async () => {
      const hasBlob = given.append === undefined || (await this.hasBlob(given.append.record.blob));
      return this.apply((state) => state.apply(given, () => hasBlob, this.auditDigest), given.append?.record.id);
    });
  }

  find(id: CheckpointId): Promise<CheckpointRecord | undefined> {
    return this.look((state) => state.find(id));
  }

  head(session: SessionId): Promise<CheckpointRecord | undefined> {
    return this.look((state) => state.head(session));
  }

  list(query: CheckpointQuery): Promise<CheckpointPage> {
    return this.look((state) => state.list(query));
  }

  session(id: SessionId): Promise<Session | undefined> {
    return this.look((state) => state.session(id));
  }

  sessions(query: SessionQuery): Promise<SessionPage> {
    return this.look((state) => state.sessions(query));
  }

  trash(query: TrashQuery): Promise<TrashPage> {
    return this.look((state) => state.trash(query));
  }

  usage(): Promise<StoreUsage> {
    return this.look((state) => state.usage());
  }

  auditLog(query: AuditQuery): Promise<readonly LoggedEvent[]> {
    return this.look((state) => state.auditLog(query));
  }

  async checkAudit(walk: AuditWalk): Promise<AuditCheck> {
    const check = await this.look((state) => state.checkAudit(walk, this.auditDigest));
    return { ...check, noted: undefined, isKeyed: this.#keyed !== undefined };
  }

  cutAudit(cut: AuditCut): Promise<number> {
    const given = copied(cut);
    return this.inTurn(() => this.apply((state) => state.cutAudit(given, this.auditDigest)));
  }

  changes(query: ChangeQuery): Promise<ChangePage | undefined> {
    return this.look((state) => state.changes(query));
  }

  replaceBlob(expected: CheckpointRecord, becomes: StoredForm, write: () => Promise<void>): Promise<boolean> {
    return this.inTurn(async () => {
      if (!(await this.look((state) => state.canChangeForm(expected, becomes)))) return false;
      await write();
      await this.apply((state) => state.changeForm(expected, becomes));
      return true;
    });
  }

  markDamaged(expected: CheckpointRecord, audit: AuditEvent, putAside: () => Promise<boolean>): Promise<boolean> {
    const given = copied(audit);
    return this.inTurn(async () => {
      if (expected.damaged || !(await this.look((state) => state.isAsExpected(expected))) || !(await putAside())) return false;
      await this.apply((state) => state.markDamaged(expected, given, this.auditDigest));
      return true;
    });
  }

  reconcile(repair: boolean): Promise<Discrepancies> {
    return this.inTurn(() => this.apply((state) => state.reconcile(repair)));
  }

  erasures(): Promise<readonly Erasure[]> {
    return this.look((state) => state.erasures());
  }

  async reclaim(refs: readonly BlobRef[] | undefined, remove: RemoveBlob): Promise<readonly BlobRef[]> {
    const removed = new Set<BlobRef>();
    // What is removed may have been the last to need another, which is then free too, whichever was named first.
    for (;;) {
      const waiting = refs?.filter((ref) => !removed.has(ref));
      const batch = await this.inTurn(() => this.#reclaimSome(waiting, remove));
      for (const ref of batch) removed.add(ref);
      if (batch.length === 0) return [...removed];
    }
  }

  holdRemovals(holder: string, until: Date): Promise<void> {
    const end = copied(until);
    return this.inTurn(() => this.apply((state) => state.hold(holder, end)));
  }

  releaseRemovals(holder: string): Promise<void> {
    return this.inTurn(() => this.apply((state) => state.release(holder)));
  }

  async #reclaimSome(refs: readonly BlobRef[] | undefined, remove: RemoveBlob): Promise<readonly BlobRef[]> {
    const needless = await this.apply((state) => state.needless(refs, new Date()).slice(0, RECLAIM_BATCH));
    const toBeErased = new Set(await this.look((state) => needless.filter((ref) => state.isToBeErased(ref))));
    await this.beforeRemoving(needless);
    // What was removed stays removed; if it is not written down, it is found again and is then nothing to do.
    for (const ref of needless) await remove(ref, toBeErased.has(ref));
    await this.apply((state) => needless.forEach((ref) => state.reclaimed(ref)));
    return needless;
  }
}
