import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { BlobRef, CheckpointId, SessionId } from "../model/ids.ts";
import { KEEP_TAG, type Session, type SessionFacts, type Shield } from "../model/session.ts";
import type { TrashedCheckpoint } from "../ports/catalog.ts";
import { isShielded } from "./asides.ts";

/** A record with its place among the commits of all sessions. */
export interface Row {
  readonly commit: number;
  record: CheckpointRecord;
}

export interface TrashedRow extends Row {
  readonly trashedAt: Date;
}

/** A removed checkpoint whose blob, or whose tombstone in the session's facts, may still exist. */
export interface Removed {
  readonly sessionId: SessionId;
  readonly blob: BlobRef;
  /** True when the blob is gone. The tombstone is dropped when the facts are written next. */
  readonly isDone: boolean;
}

/** A checkpoint that is being erased and of which something may be left. */
export interface Erasing {
  readonly sessionId: SessionId;
  readonly blob: BlobRef;
}

/** Facts of a session about checkpoints that are not live. */
export interface Leaving extends Pick<SessionFacts, "tombstones" | "erasing"> {
  readonly trashed: readonly TrashedCheckpoint[];
}

/** Data of a session without its checkpoints. */
export interface SessionEntry {
  readonly createdAt: Date;
  readonly lastAccessedAt: Date;
  readonly tags: readonly string[];
  readonly pins: readonly string[];
  readonly oldestLive: CheckpointId | null;
  /** Highest sequence ever given. */
  readonly lastSequence: number;
}

/** Complete state of one session. */
export class SessionState implements SessionEntry {
  readonly id: SessionId;
  createdAt: Date;
  lastAccessedAt: Date;
  tags: readonly string[] = [];
  pins: readonly string[] = [];
  oldestLive: CheckpointId | null = null;
  lastSequence = 0;
  /** Live checkpoints in the order of their sequences. */
  readonly rows: Row[] = [];

  constructor(id: SessionId, at: Date) {
    this.id = id;
    this.createdAt = at;
    this.lastAccessedAt = at;
  }

  static from(id: SessionId, entry: SessionEntry): SessionState {
    return Object.assign(new SessionState(id, entry.createdAt), entry);
  }

  get head(): CheckpointRecord | undefined {
    return this.rows.findLast(({ record }) => record.kind !== "aside" && !record.damaged)?.record;
  }

  get bytes(): number {
    return this.rows.reduce((sum, { record }) => sum + record.blobBytes, 0);
  }

  get asides(): readonly CheckpointRecord[] {
    return this.rows.filter(({ record }) => record.kind === "aside").map(({ record }) => record);
  }

  /** Returns the oldest workflow checkpoints beyond the limit that may be pruned, never the new one. Other kinds do not count. */
  beyond(keepNewest: number, added: Pick<CheckpointRecord, "id" | "createdAt">): readonly Row[] {
    if (this.tags.includes(KEEP_TAG)) return [];
    const counted = this.rows.filter(({ record }) => record.kind === "workflow");
    const isFree = (record: CheckpointRecord): boolean => {
      return record.id !== added.id && !record.tags.includes(KEEP_TAG) && !isShielded(record, added.createdAt);
    };
    const free = counted.filter(({ record }) => isFree(record));
    return free.slice(0, Math.max(0, counted.length - keepNewest));
  }

  insert(row: Row): void {
    const after = this.rows.findIndex(({ record }) => record.sequence > row.record.sequence);
    this.rows.splice(after === -1 ? this.rows.length : after, 0, row);
  }

  remove(row: Row): void {
    this.rows.splice(this.rows.indexOf(row), 1);
  }

  used(at: Date): void {
    // Accesses are reported late and out of order.
    if (at > this.lastAccessedAt) this.lastAccessedAt = at;
  }

  /** Records the oldest checkpoint that is left: its ancestors are known to be gone. */
  noteOldest(): void {
    this.oldestLive = this.rows.find(({ record }) => record.kind === "workflow")?.record.id ?? null;
  }

  toEntry(): SessionEntry {
    const { createdAt, lastAccessedAt, tags, pins, oldestLive, lastSequence } = this;
    return { createdAt, lastAccessedAt, tags, pins, oldestLive, lastSequence };
  }

  toSession(): Session {
    const asideCount = this.rows.filter(({ record }) => record.kind === "aside").length;
    return {
      id: this.id,
      createdAt: this.createdAt,
      lastAccessedAt: this.lastAccessedAt,
      tags: this.tags,
      pins: this.pins,
      checkpointCount: this.rows.length - asideCount,
      asideCount,
      damagedCount: this.rows.filter(({ record }) => record.damaged).length,
      totalSizeBytes: this.bytes,
    };
  }

  toFacts({ tombstones, erasing, trashed }: Leaving): SessionFacts {
    return {
      sessionId: this.id,
      createdAt: this.createdAt,
      tags: this.tags,
      pins: this.pins,
      tombstones,
      erasing,
      oldestLive: this.oldestLive,
      trash: trashed.map(({ record, trashedAt }) => ({ checkpointId: record.id, at: trashedAt })),
      shields: [...this.rows, ...trashed].flatMap(({ record }) => shieldOf(record)),
    };
  }
}

function shieldOf({ id, shieldedUntil }: CheckpointRecord): readonly Shield[] {
  return shieldedUntil === undefined ? [] : [{ checkpointId: id, until: shieldedUntil }];
}
