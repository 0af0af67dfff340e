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

/** Removals carried out in one turn: few enough that a waiting save is hardly delayed. */
const RECLAIM_BATCH = 100;

/**
 * Implements the catalog's contract over a `CatalogState`. An adapter adds how the state is read, how changes take turns,
 * and how a change becomes durable. Inputs are copied here; the adapter copies outputs wherever a caller could change them.
 */
export abstract class StateCatalog implements Catalog {
  readonly #own: AuditDigest;
  #keyed: AuditDigest | undefined;

  /** @param digest chains the audit log while no other digest is set: SHA-256. */
  constructor(digest: AuditDigest) {
    this.#own = digest;
  }

  /** See `CatalogRecovery.chainBy`. */
  chainBy(digest: AuditDigest | undefined): void {
    this.#keyed = digest;
  }

  /** Returns a state after a rewriting. Later audit rows are chained by the rewriting's digest. */
  protected rewritten(state: CatalogState, rewriting: Rewriting): CatalogState {
    this.#keyed = rewriting.chained.to;
    return state.rewritten(rewriting, this.#own);
  }

  /** Digest that chains the audit log. In a sealed store it needs the store's key. */
  protected get auditDigest(): AuditDigest {
    return this.#keyed ?? this.#own;
  }

  /** Reads the state. Shows only changes that are as durable as the adapter makes them. */
  protected abstract look<T>(look: (state: CatalogState) => T): Promise<T>;
  /** Runs work after all earlier changes and before all later ones. */
  protected abstract inTurn<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Applies a change within a turn, and resolves when it is durable. Changes nothing when it fails.
   *
   * @param appended the appended checkpoint, which an error with unknown outcome names.
   */
  protected abstract apply<T>(change: (state: CatalogState) => T, appended?: CheckpointId): Promise<T>;
  /** Tells whether a blob exists. Called within a turn. */
  protected abstract hasBlob(ref: BlobRef): boolean | Promise<boolean>;
  /** Called within a turn before blobs are removed. Corrects session facts that an interrupted save wrote for an unrecorded blob. */
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
    // A removed blob may have been the last one that needed another blob, which can then be removed too, in any order.
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
    // Removed blobs stay removed. When the change below fails, the next run finds them again and has nothing to remove.
    for (const ref of needless) await remove(ref, toBeErased.has(ref));
    await this.apply((state) => needless.forEach((ref) => state.reclaimed(ref)));
    return needless;
  }
}
