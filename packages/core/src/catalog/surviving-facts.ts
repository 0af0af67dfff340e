import type { SessionId } from "../model/ids.ts";
import type { SessionFacts } from "../model/session.ts";
import { ALL, type Facts, type Read, type Reads, type Select, type SelectErasures, type SelectRemovals } from "./reads.ts";
import { changed, type CheckpointRow, type ErasureRow, type RemovalRow, type RowChange, rowsAfter, type SessionRow } from "./rows.ts";

/** Session facts after a change, and the tombstones that they no longer list. */
export interface Survivors {
  /** Empty when the session does not exist. */
  readonly facts: readonly SessionFacts[];
  readonly dropped: readonly RowChange[];
}

/** Reads of the rows from which session facts are made. */
export interface SurvivingReads extends Reads {
  readonly session: Extract<Read, { of: "session" }>;
  readonly removals: SelectRemovals;
  readonly erasures: SelectErasures;
  readonly trash: Select;
  readonly shielded: Select;
}

/** Reads the rows from which the facts of a session are made. */
export function survivingReads(sessionId: SessionId): SurvivingReads {
  return {
    session: { of: "session", id: sessionId },
    removals: { of: "removals", sessionId },
    erasures: { of: "erasures", sessionId },
    trash: { of: "checkpoints", where: { state: "trash", sessionId }, order: "any", limit: ALL },
    shielded: { of: "checkpoints", where: { state: "live", sessionId, isShielded: true }, order: "any", limit: ALL },
  };
}

/** Derives the facts of a session as they are after changes. */
export function survivingFacts(sessionId: SessionId, changes: readonly RowChange[], before: Facts<SurvivingReads>): Survivors {
  const isOfSession = (row: ErasureRow): boolean => row.sessionId === sessionId;
  const sessions = rowsAfter("session", before.session === undefined ? [] : [before.session], changes);
  const removals = rowsAfter("removal", before.removals, changes).filter(isOfSession);
  const erasures = rowsAfter("erasure", before.erasures, changes).filter(isOfSession);
  const all = rowsAfter("checkpoint", [...before.trash, ...before.shielded], changes);
  const checkpoints = all.filter(({ record }) => record.sessionId === sessionId);
  const facts = sessions.filter(({ id }) => id === sessionId).map((session) => factsOf(session, { removals, erasures, checkpoints }));
  // The blob is gone, and the new facts no longer list its tombstone.
  const done = facts.length === 0 ? [] : removals.filter(({ isDone }) => isDone);
  return { facts, dropped: done.map((removal) => changed("removal", removal, undefined)) };
}

/** Rows of one session from which its facts are made. */
export interface FactRows {
  readonly removals: readonly RemovalRow[];
  readonly erasures: readonly ErasureRow[];
  readonly checkpoints: readonly CheckpointRow[];
}

/** Makes the facts of a session from its rows. */
export function factsOf({ id: sessionId, createdAt, tags, pins, oldestLive }: SessionRow, rows: FactRows): SessionFacts {
  const checkpoints = rows.checkpoints.toSorted((one, other) => compare(one.record.id, other.record.id));
  return {
    sessionId,
    createdAt,
    tags,
    pins,
    tombstones: rows.removals
      .filter(({ isDone }) => !isDone)
      .toSorted(byBlob)
      .map(({ checkpointId }) => checkpointId),
    erasing: rows.erasures.toSorted(byBlob).map(({ checkpointId }) => checkpointId),
    oldestLive,
    trash: checkpoints.flatMap(({ record, trashedAt: at }) => (at === undefined ? [] : [{ checkpointId: record.id, at }])),
    shields: checkpoints.flatMap(({ record: { id: checkpointId, shieldedUntil: until } }) => {
      return until === undefined ? [] : [{ checkpointId, until }];
    }),
  };
}

/** By key: the same order in every adapter. */
function byBlob(one: ErasureRow, other: ErasureRow): number {
  return compare(one.blob, other.blob);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
