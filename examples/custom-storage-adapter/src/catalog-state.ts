import {
  type Append,
  type AuditEvent,
  type CatalogChange,
  type CheckpointRecord,
  type Edge,
  type NewRecord,
  parseJson,
  type SessionFacts,
} from "@workrail/core";

/** All that the catalog knows, as it stands in its file. Never changed: each commit makes another. */
export interface CatalogState {
  /** In the order of their commits. */
  readonly rows: readonly Row[];
  readonly sessions: readonly SessionState[];
  /** Removed checkpoints whose blobs are still to be removed. */
  readonly pending: readonly CheckpointRecord[];
  readonly edges: readonly Edge[];
  readonly audit: readonly AuditEvent[];
}

/** A record with its place among the commits of all sessions: a page of a listing goes on from there. */
export interface Row {
  readonly ordinal: number;
  readonly record: CheckpointRecord;
}

type SessionState = Omit<SessionFacts, "tombstones"> & { readonly lastSequence: number; readonly lastAccessedAt: Date };

export const EMPTY: CatalogState = { rows: [], sessions: [], pending: [], edges: [], audit: [] };

/** The state with one more record, which has its place in its session now. */
export function withRecord(state: CatalogState, record: NewRecord, begins?: Append["session"]): CatalogState {
  const { id, sessionId, createdAt } = record;
  const known = state.sessions.find((session) => session.sessionId === sessionId);
  const facts = { createdAt, tags: [], pins: [], ...begins };
  const session = known ?? { sessionId, ...facts, oldestLive: null, lastSequence: 0, lastAccessedAt: createdAt };
  const sequence = session.lastSequence + 1;
  const ordinal = (state.rows.at(-1)?.ordinal ?? 0) + 1;
  const lastAccessedAt = later(session.lastAccessedAt, createdAt);
  return {
    ...state,
    rows: [...state.rows, { ordinal, record: { ...record, sequence, lastAccessedAt: createdAt, damaged: false } }],
    sessions: [...state.sessions.filter((each) => each !== known), { ...session, lastSequence: sequence, lastAccessedAt }],
    // An id that was removed lives again.
    pending: state.pending.filter((removed) => removed.id !== id),
  };
}

/** The state without the session's oldest workflow checkpoints beyond `keepNewest`. */
export function pruned(state: CatalogState, { record, keepNewest = Number.POSITIVE_INFINITY }: Append): CatalogState {
  const { sessionId, createdAt: at, agentId } = record;
  const counted = state.rows.filter((row) => row.record.sessionId === sessionId && row.record.kind === "workflow");
  const removed = counted.slice(0, Math.max(0, counted.length - keepNewest));
  if (removed.length === 0) return state;
  const oldestLive = counted[removed.length]?.record.id ?? null;
  const events = removed.map(({ record: { id } }) => ({ at, action: "prune", sessionId, checkpointId: id, agentId }) as const);
  return {
    ...state,
    rows: state.rows.filter((row) => !removed.includes(row)),
    sessions: state.sessions.map((session) => (session.sessionId === sessionId ? { ...session, oldestLive } : session)),
    pending: [...state.pending, ...removed.map((row) => row.record)],
    audit: [...state.audit, ...events],
  };
}

/** The state after the rest of a change: pins, edges, accesses, audit. */
export function changed(state: CatalogState, { pins, edges, accesses = [], audit }: Omit<CatalogChange, "append">): CatalogState {
  const isDropped = (edge: Edge) => edges?.drop.some(({ dependent, base }) => dependent === edge.dependent && base === edge.base);
  // Nobody would take away the edge of one that is gone.
  const added = edges?.add.filter(({ dependent }) => state.rows.some(({ record }) => record.id === dependent)) ?? [];
  const sessions = state.sessions.map((session) => {
    if (session.sessionId !== pins?.sessionId) return session;
    return { ...session, pins: [...new Set([...session.pins, ...pins.pin])].filter((key) => !pins.release.includes(key)) };
  });
  return accesses.reduce(withAccess, {
    ...state,
    sessions,
    edges: [...state.edges, ...added].filter((edge) => isDropped(edge) !== true),
    audit: [...state.audit, ...audit],
  });
}

function withAccess(state: CatalogState, { checkpointId, at }: NonNullable<CatalogChange["accesses"]>[number]): CatalogState {
  const accessed = state.rows.find(({ record }) => record.id === checkpointId);
  if (accessed === undefined) return state;
  const touched = <T extends { readonly lastAccessedAt: Date }>(each: T): T => ({
    ...each,
    lastAccessedAt: later(each.lastAccessedAt, at),
  });
  return {
    ...state,
    rows: state.rows.map((row) => (row === accessed ? { ...row, record: touched(row.record) } : row)),
    sessions: state.sessions.map((session) => (session.sessionId === accessed.record.sessionId ? touched(session) : session)),
  };
}

/** JSON has no dates. Only our own are brought back: attributes are the caller's. */
export function parseState(text: string): CatalogState {
  const state = parseJson(text) as unknown as CatalogState;
  const dated = <T extends { readonly createdAt: Date; readonly lastAccessedAt: Date }>(each: T): T => ({
    ...each,
    createdAt: new Date(each.createdAt),
    lastAccessedAt: new Date(each.lastAccessedAt),
  });
  return {
    ...state,
    rows: state.rows.map(({ ordinal, record }) => ({ ordinal, record: dated(record) })),
    sessions: state.sessions.map(dated),
    pending: state.pending.map(dated),
    audit: state.audit.map((event) => ({ ...event, at: new Date(event.at) })),
  };
}

function later(left: Date, right: Date): Date {
  return left > right ? left : right;
}
