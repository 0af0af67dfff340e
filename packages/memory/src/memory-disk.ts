import {
  type AuditEvent,
  type BlobRef,
  type CheckpointId,
  type CheckpointRecord,
  type Edge,
  ProcessGate,
  type SessionFacts,
  type SessionId,
} from "@workrail/core";

/**
 * Where a memory storage keeps what it is given. Hand the same one to `openMemoryStorage` again, and the store is
 * found as it was left, as after a restart.
 */
export class MemoryDisk {
  readonly blobs: Map<BlobRef, Uint8Array> = new Map();
  /** Blobs that were put aside, by where they are now. */
  readonly quarantine: Map<string, Uint8Array> = new Map();
  /** What survives the loss of the catalog, as a file beside the blobs would. */
  readonly sessionFacts: Map<SessionId, SessionFacts> = new Map();
  catalog: CatalogState = new CatalogState();
  /** One for all who opened this disk: they are one process. */
  readonly gate: ProcessGate = new ProcessGate();
  #lastTransaction: Promise<unknown> = Promise.resolve();

  /** Runs what changes the catalog, one after another. */
  transact<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#lastTransaction.then(work);
    this.#lastTransaction = mine.catch(() => {});
    return mine;
  }

  /** The catalog is gone, as when its file was deleted. What `CatalogRecovery` needs is still there. */
  loseCatalog(): void {
    this.catalog = new CatalogState();
  }
}

/** A record and its place among the commits of all sessions. */
export interface Row {
  readonly commit: number;
  record: CheckpointRecord;
}

export interface SessionRow {
  /** In their sequence. */
  rows: Row[];
  lastSequence: number;
  lastAccessedAt: Date;
}

/** Everything a catalog knows that its blobs and the sessions' facts do not tell. */
export class CatalogState {
  /** In the order of their commits. */
  readonly rows: Map<CheckpointId, Row> = new Map();
  readonly sessions: Map<SessionId, SessionRow> = new Map();
  readonly audit: AuditEvent[] = [];
  edges: Edge[] = [];
  /** Blobs of removed checkpoints, until somebody reclaims them. */
  readonly pendingRemovals: Map<CheckpointId, { readonly sessionId: SessionId; readonly blob: BlobRef }> = new Map();
  #lastCommit = 0;

  /** Whether nothing was ever written to it. */
  get isPristine(): boolean {
    return this.#lastCommit === 0 && this.audit.length === 0;
  }

  /** Gives a record the next place in its session. */
  add(record: Omit<CheckpointRecord, "sequence">): Row {
    const session = this.#sessionFor(record);
    session.lastSequence += 1;
    this.#lastCommit += 1;
    const row: Row = { commit: this.#lastCommit, record: { ...record, sequence: session.lastSequence } };
    session.rows.push(row);
    session.lastAccessedAt = later(session.lastAccessedAt, record.lastAccessedAt);
    this.rows.set(record.id, row);
    return row;
  }

  remove({ record }: Row): void {
    const session = this.#sessionFor(record);
    session.rows = session.rows.filter((row) => row.record.id !== record.id);
    this.rows.delete(record.id);
    this.pendingRemovals.set(record.id, { sessionId: record.sessionId, blob: record.blob });
  }

  touch(id: CheckpointId, at: Date): void {
    const row = this.rows.get(id);
    if (row === undefined) return;
    row.record = { ...row.record, lastAccessedAt: later(row.record.lastAccessedAt, at) };
    const session = this.#sessionFor(row.record);
    session.lastAccessedAt = later(session.lastAccessedAt, at);
  }

  /** The session's row, from its first record on. */
  #sessionFor(record: Pick<CheckpointRecord, "sessionId" | "lastAccessedAt">): SessionRow {
    const known = this.sessions.get(record.sessionId);
    if (known !== undefined) return known;
    const session: SessionRow = { rows: [], lastSequence: 0, lastAccessedAt: record.lastAccessedAt };
    this.sessions.set(record.sessionId, session);
    return session;
  }
}

/** Accesses are told late and out of order. */
function later(left: Date, right: Date): Date {
  return left > right ? left : right;
}
