import type { SessionRow } from "../../catalog/rows.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { SessionId } from "../../model/ids.ts";

/** A session and its head. */
export interface SessionWithHead {
  readonly head: CheckpointRecord;
  readonly session: SessionRow;
}

interface Cached extends SessionWithHead {
  /**
   * `read`: a save has read the head. `saved`: this process has saved it. `alone`: a save has read the head that this process had saved, so
   * probably no other process saves to the session.
   */
  readonly state: "read" | "saved" | "alone";
}

const MOST_SESSIONS = 500;

/**
 * Caches the head of each session that this process saves to, so that the next save needs no round trip to a remote database to read it.
 * The append checks under the lock of the store that the session is unchanged. Sessions to which another process saves are read each time.
 */
export class RecentHeads {
  readonly #sessions = new Map<SessionId, Cached>();

  /** Returns the cached session and head; `undefined` when the save must read them. */
  of(session: SessionId): SessionWithHead | undefined {
    const cached = this.#sessions.get(session);
    return cached?.state === "alone" ? cached : undefined;
  }

  /** Caches the session and head that a save has read. */
  read(id: SessionId, head: CheckpointRecord | undefined, session: SessionRow | undefined): void {
    const before = this.#sessions.get(id);
    if (head === undefined || session === undefined) return this.forget(id);
    const isOwn = before !== undefined && before.state !== "read" && before.head.id === head.id;
    this.#keep({ head, session, state: isOwn ? "alone" : "read" });
  }

  /**
   * Replaces the cached head of a session by one that was saved.
   *
   * @param removed number of checkpoints that the save removed.
   */
  saved(head: CheckpointRecord, removed: number): void {
    const before = this.#sessions.get(head.sessionId);
    if (before === undefined) return;
    const checkpointCount = before.session.checkpointCount + 1 - removed;
    this.#keep({ head, session: { ...before.session, checkpointCount }, state: before.state === "alone" ? "alone" : "saved" });
  }

  /** Removes a session from the cache. */
  forget(session: SessionId): void {
    this.#sessions.delete(session);
  }

  #keep(cached: Cached): void {
    this.#sessions.delete(cached.session.id);
    this.#sessions.set(cached.session.id, cached);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MOST_SESSIONS && oldest !== undefined) this.forget(oldest);
  }
}
