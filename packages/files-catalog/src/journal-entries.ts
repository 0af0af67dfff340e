import {
  type Change,
  changesOf,
  type CheckpointId,
  type CheckpointRow,
  type Decision,
  type ErasureRow,
  KEY_OF,
  type LoggedEvent,
  type MemoryTables,
  type RemovalRow,
  type RowChange,
  type SessionId,
  type SessionRow,
  type Tables,
} from "@workrail/core";

/** Content of a catalog, or its changes: the current value of each key in each table; `null` for a deleted one. */
export interface JournalEntries {
  /** Number of checkpoints ever appended. */
  readonly lastCommit: number;
  readonly checkpoints: readonly Entry<CheckpointId, LiveEntry>[];
  readonly trash: readonly Entry<CheckpointId, TrashEntry>[];
  readonly sessions: readonly Entry<SessionId, SessionEntry>[];
  readonly edges: readonly Entry<string, Tables["edge"]>[];
  readonly removals: readonly Entry<CheckpointId, Omit<RemovalRow, "checkpointId">>[];
  readonly holds: readonly Entry<string, Date>[];
  readonly erasures: readonly Entry<CheckpointId, Omit<ErasureRow, "checkpointId">>[];
  /** New rows of the audit log. */
  readonly audit: readonly AuditEntry[];
  /** Number of the first row that is left of the audit log, when older rows were removed. */
  readonly auditFrom?: number;
}

/** Value of a key; `null` when the key was deleted. */
export type Entry<K, V> = readonly [key: K, value: V | null];
type LiveEntry = Pick<CheckpointRow, "commit" | "record">;
type TrashEntry = LiveEntry & { readonly trashedAt: Date };
/** Session without its sums, which follow from its checkpoints. */
type SessionEntry = Pick<SessionRow, "createdAt" | "lastAccessedAt" | "tags" | "pins" | "oldestLive" | "lastSequence">;
/** Rows that are older than the chain have neither number nor digest. */
type AuditEntry = Omit<LoggedEvent, "number" | "digest"> & Partial<Pick<LoggedEvent, "number" | "digest">>;

/** Returns the entries of all rows. */
export function allEntries(tables: MemoryTables): JournalEntries {
  const { rows, audit } = tables.content;
  return entriesOf(tables, rows, audit);
}

/** Returns the entries that a decision changed. The tables already have its rows. */
export function changedEntries(tables: MemoryTables, { rows, audit, auditThrough }: Decision<unknown>): JournalEntries {
  const added = tables.audit.slice(tables.audit.length - audit.length);
  return { ...entriesOf(tables, rows, added), ...(auditThrough === undefined ? {} : { auditFrom: auditThrough + 1 }) };
}

function entriesOf(tables: MemoryTables, rows: readonly RowChange[], audit: readonly LoggedEvent[]): JournalEntries {
  const removals = changesOf("removal", rows);
  const erasures = changesOf("erasure", rows);
  return {
    lastCommit: tables.lastCommit,
    ...checkpointEntries(tables, changesOf("checkpoint", rows)),
    sessions: latest(changesOf("session", rows), KEY_OF.session, sessionEntry) as JournalEntries["sessions"],
    edges: latest(changesOf("edge", rows), KEY_OF.edge, (edge) => edge),
    removals: removals.length === 0 ? [] : entriesByCheckpoint(removals, tables.answer({ of: "removals" }), removalEntry),
    holds: latest(changesOf("hold", rows), KEY_OF.hold, ({ until }) => until),
    erasures: erasures.length === 0 ? [] : entriesByCheckpoint(erasures, tables.answer({ of: "erasures" }), erasureEntry),
    audit,
  };
}

/** A row that moves between the live ones and the trash changes both. */
function checkpointEntries(tables: MemoryTables, changes: readonly Change<CheckpointRow>[]): Pick<JournalEntries, "checkpoints" | "trash"> {
  const checkpoints = new Map<CheckpointId, LiveEntry | null>();
  const trash = new Map<CheckpointId, TrashEntry | null>();
  for (const { was, now } of changes) {
    const id = ((now ?? was) as CheckpointRow).record.id;
    if (was !== undefined) (was.trashedAt === undefined ? checkpoints : trash).set(id, null);
    // The tables assigned the commit of a new row.
    const row = tables.answer({ of: "checkpoint", id });
    if (row === undefined) continue;
    const { commit, record, trashedAt } = row;
    if (trashedAt === undefined) checkpoints.set(id, { commit, record });
    else trash.set(id, { commit, record, trashedAt });
  }
  return { checkpoints: [...checkpoints], trash: [...trash] };
}

function latest<Row, V>(
  changes: readonly Change<Row>[],
  keyOf: (row: Row) => string,
  valueOf: (row: Row) => V,
): readonly Entry<string, V>[] {
  return [...new Map(changes.map(({ was, now }) => [keyOf((now ?? was) as Row), now === undefined ? null : valueOf(now)]))];
}

/** Ids of checkpoints in several sessions may be equal: a key can have several rows, which one `null` deletes. */
function entriesByCheckpoint<Row extends ErasureRow, V>(
  changes: readonly Change<Row>[],
  current: readonly Row[],
  valueOf: (row: Row) => V,
): readonly Entry<CheckpointId, V>[] {
  const rows = Map.groupBy(current, ({ checkpointId }) => checkpointId);
  const ids = new Set(changes.flatMap(({ was, now }) => [was, now]).flatMap((row) => (row === undefined ? [] : [row.checkpointId])));
  const deleted = new Set(changes.map(({ was, now }) => (now === undefined ? was?.checkpointId : undefined)));
  return [...ids].flatMap((id): readonly Entry<CheckpointId, V>[] => {
    const values = (rows.get(id) ?? []).map((row) => [id, valueOf(row)] as const);
    return deleted.has(id) ? [[id, null], ...values] : values;
  });
}

function sessionEntry({ createdAt, lastAccessedAt, tags, pins, oldestLive, lastSequence }: SessionRow): SessionEntry {
  return { createdAt, lastAccessedAt, tags, pins, oldestLive, lastSequence };
}

function removalEntry({ sessionId, blob, isDone }: RemovalRow): Omit<RemovalRow, "checkpointId"> {
  return { sessionId, blob, isDone };
}

function erasureEntry({ sessionId, blob }: ErasureRow): Omit<ErasureRow, "checkpointId"> {
  return { sessionId, blob };
}
