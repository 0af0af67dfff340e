import { matchesFilter } from "../catalog/matches-filter.ts";
import type { AuditEvent, LoggedEvent } from "../model/audit.ts";
import type { CheckpointRecord, NewRecord } from "../model/checkpoint.ts";
import type { BlobRef, CheckpointId, PageCursor, SessionId } from "../model/ids.ts";
import type { Session, SessionFacts } from "../model/session.ts";
import type {
  Append,
  AuditCheck,
  AuditCut,
  AuditQuery,
  AuditWalk,
  Catalog,
  CatalogChange,
  CatalogRecovery,
  ChangePage,
  ChangeQuery,
  CheckpointFilter,
  CheckpointPage,
  CheckpointQuery,
  CommitOutcome,
  Discrepancies,
  Erasure,
  RemoveBlob,
  SessionPage,
  SessionQuery,
  StoredForm,
  StoreUsage,
  TrashPage,
  TrashQuery,
} from "../ports/catalog.ts";
import { plainFacts } from "./forms.ts";
import { openEvent, openLabels, openRecord, seal, sealEvent, sealLabels, sealRecord, sealTags, type TextSealer } from "./seal-record.ts";

/** Records read at a time when a filter needs opened texts, which the inner catalog cannot search. */
const SCAN_PAGE = 500;

/** Position of a record: its index in the page after a cursor. */
interface Place {
  readonly begin: PageCursor | undefined;
  readonly index: number;
}

/**
 * Catalog that seals the text of people and agents on write and opens it on read. Whole texts are compared by the inner catalog.
 * For a part of a name, or words, it scans all records that match the rest of the filter.
 */
export class SealedCatalog implements Catalog, CatalogRecovery {
  readonly #catalog: Catalog;
  readonly #recovery: CatalogRecovery;
  readonly #sealer: TextSealer;

  constructor(inner: { readonly catalog: Catalog; readonly recovery: CatalogRecovery }, sealer: TextSealer) {
    this.#catalog = inner.catalog;
    this.#recovery = inner.recovery;
    this.#sealer = sealer;
  }

  async commit(change: CatalogChange): Promise<CommitOutcome> {
    return this.#openOutcome(await this.#catalog.commit(this.#sealChange(change)));
  }

  async find(id: CheckpointId): Promise<CheckpointRecord | undefined> {
    return this.#open(await this.#catalog.find(id));
  }

  async head(session: SessionId): Promise<CheckpointRecord | undefined> {
    return this.#open(await this.#catalog.head(session));
  }

  async list(query: CheckpointQuery): Promise<CheckpointPage> {
    const { name, query: words, ...filter } = query.filter;
    if (name === undefined && words === undefined) {
      const page = await this.#catalog.list({ ...query, filter: this.#sealFilter(filter) });
      return { ...page, records: page.records.map((record) => openRecord(this.#sealer, record)) };
    }
    return this.#scan(query);
  }

  async #scan({ filter, limit, offset, after }: CheckpointQuery): Promise<CheckpointPage> {
    const records: CheckpointRecord[] = [];
    let last: Place | undefined;
    let [passed, hasMore] = [0, false];
    for await (const { record, place } of this.#matching(filter, after)) {
      passed += 1;
      if (passed <= offset) continue;
      hasMore = records.length === limit;
      if (hasMore) break;
      records.push(record);
      last = place;
    }
    const next = hasMore && last !== undefined ? await this.#cursorBehind(filter, last) : undefined;
    let total = 0;
    for await (const _ of this.#matching(filter, undefined)) total += 1;
    return { records, total, next };
  }

  async *#matching(filter: CheckpointFilter, after: PageCursor | undefined): AsyncGenerator<{ record: CheckpointRecord; place: Place }> {
    const { name, query } = filter;
    let begin = after;
    for (;;) {
      const page = await this.#page(filter, SCAN_PAGE, begin);
      for (const [index, sealed] of page.records.entries()) {
        const record = openRecord(this.#sealer, sealed);
        // The inner catalog has compared everything else, including the session's tags.
        if (matchesFilter(record, [], { name, query, kinds: [record.kind] })) yield { record, place: { begin, index } };
      }
      if (page.next === undefined) return;
      begin = page.next;
    }
  }

  /** Returns the cursor after a record, from a page that ends with it. */
  async #cursorBehind(filter: CheckpointFilter, { begin, index }: Place): Promise<PageCursor | undefined> {
    return (await this.#page(filter, index + 1, begin)).next;
  }

  /** Lists records by the conditions that the inner catalog can compare. */
  #page({ name: _name, query: _query, ...exact }: CheckpointFilter, limit: number, after: PageCursor | undefined): Promise<CheckpointPage> {
    return this.#catalog.list({ filter: this.#sealFilter(exact), limit, offset: 0, after });
  }

  async session(id: SessionId): Promise<Session | undefined> {
    const session = await this.#catalog.session(id);
    return session === undefined ? undefined : openLabels(this.#sealer, session);
  }

  replaceBlob(expected: CheckpointRecord, becomes: StoredForm, write: () => Promise<void>): Promise<boolean> {
    return this.#catalog.replaceBlob(sealRecord(this.#sealer, expected), becomes, write);
  }

  markDamaged(expected: CheckpointRecord, audit: AuditEvent, putAside: () => Promise<boolean>): Promise<boolean> {
    return this.#catalog.markDamaged(sealRecord(this.#sealer, expected), sealEvent(this.#sealer, audit), putAside);
  }

  reconcile(repair: boolean): Promise<Discrepancies> {
    return this.#catalog.reconcile(repair);
  }

  async sessions(query: SessionQuery): Promise<SessionPage> {
    const page = await this.#catalog.sessions({ ...query, project: seal(this.#sealer, query.project) });
    return { ...page, sessions: page.sessions.map((session) => openLabels(this.#sealer, session)) };
  }

  async trash(query: TrashQuery): Promise<TrashPage> {
    const page = await this.#catalog.trash(query);
    return { ...page, entries: page.entries.map((entry) => ({ ...entry, record: openRecord(this.#sealer, entry.record) })) };
  }

  usage(): Promise<StoreUsage> {
    return this.#catalog.usage();
  }

  async auditLog(query: AuditQuery): Promise<readonly LoggedEvent[]> {
    return (await this.#catalog.auditLog(query)).map((event) => openEvent(this.#sealer, event));
  }

  /** Rows are chained in their sealed form. */
  checkAudit(walk: AuditWalk): Promise<AuditCheck> {
    return this.#catalog.checkAudit(walk);
  }

  cutAudit(cut: AuditCut): Promise<number> {
    return this.#catalog.cutAudit(cut);
  }

  reclaim(refs: readonly BlobRef[] | undefined, remove: RemoveBlob): Promise<readonly BlobRef[]> {
    return this.#catalog.reclaim(refs, remove);
  }

  erasures(): Promise<readonly Erasure[]> {
    return this.#catalog.erasures();
  }

  holdRemovals(holder: string, until: Date): Promise<void> {
    return this.#catalog.holdRemovals(holder, until);
  }

  releaseRemovals(holder: string): Promise<void> {
    return this.#catalog.releaseRemovals(holder);
  }

  /** Changes contain only session ids, which are not sealed. */
  changes(query: ChangeQuery): Promise<ChangePage | undefined> {
    return this.#catalog.changes(query);
  }

  needsRebuild(): Promise<boolean> {
    return this.#recovery.needsRebuild();
  }

  examine(options?: { readonly isDue?: boolean }): Promise<void> {
    return this.#recovery.examine(options);
  }

  async *sessionFacts(): AsyncGenerator<SessionFacts> {
    for await (const facts of this.#recovery.sessionFacts()) yield plainFacts({ from: this.#sealer, to: this.#sealer }, facts);
  }

  replaceAll(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): Promise<void> {
    return this.#recovery.replaceAll(
      records.map((record) => sealRecord(this.#sealer, record)),
      sessions.map((facts) => sealLabels(this.#sealer, facts)),
      sealEvent(this.#sealer, audit),
    );
  }

  #open<R extends CheckpointRecord | undefined>(record: R): R {
    return record === undefined ? record : openRecord(this.#sealer, record);
  }

  #sealFilter(filter: Omit<CheckpointFilter, "name" | "query">): CheckpointFilter {
    const { project, notProject, repository, tags, workflowId, agentId, phase } = filter;
    return {
      ...filter,
      project: seal(this.#sealer, project),
      notProject: seal(this.#sealer, notProject),
      repository: seal(this.#sealer, repository),
      tags: tags === undefined ? undefined : sealTags(this.#sealer, tags),
      workflowId: seal(this.#sealer, workflowId),
      agentId: seal(this.#sealer, agentId),
      phase: seal(this.#sealer, phase),
    };
  }

  #sealChange(change: CatalogChange): CatalogChange {
    const sealer = this.#sealer;
    const { append, move, pins, tags, audit, ...rest } = change;
    const sealed = {
      ...rest,
      ...(pins === undefined
        ? {}
        : {
            pins: { ...pins, pin: pins.pin.map((key) => sealer.sealText(key)), release: pins.release.map((key) => sealer.sealText(key)) },
          }),
      ...(tags === undefined ? {} : { tags: { ...tags, add: sealTags(sealer, tags.add), remove: sealTags(sealer, tags.remove) } }),
      audit: audit.map((event) => sealEvent(sealer, event)),
    };
    if (append !== undefined) return { ...sealed, append: this.#sealAppend(append) };
    return move === undefined ? sealed : { ...sealed, move: { ...move, agentId: seal(sealer, move.agentId) } };
  }

  #sealAppend(append: Append): Append {
    const { record, unlessHeadIs, session } = append;
    return {
      ...append,
      record: sealRecord(this.#sealer, record),
      unlessHeadIs: unlessHeadIs === undefined ? undefined : this.#sealer.sealDigest(unlessHeadIs),
      session: session === undefined ? undefined : sealLabels(this.#sealer, session),
    };
  }

  #openOutcome(outcome: CommitOutcome): CommitOutcome {
    switch (outcome.status) {
      case "committed": {
        const { record, removed, shielded, moved } = outcome;
        const open = (each: CheckpointRecord): CheckpointRecord => this.#open(each);
        return { ...outcome, record: this.#open(record), removed: removed.map(open), shielded: shielded.map(open), moved: moved.map(open) };
      }
      case "unchanged":
      case "conflict":
        return { ...outcome, head: this.#open(outcome.head) } as CommitOutcome;
      case "exists":
      case "in-trash":
        return { ...outcome, record: this.#open(outcome.record) };
      case "asides-full":
      case "over-quota":
      case "blob-missing":
        return outcome;
    }
  }
}
