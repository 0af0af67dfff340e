import type { SessionRow } from "../../catalog/rows.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { SessionId } from "../../model/ids.ts";

/** Session and head that a save has read. */
export interface SeenSession {
  readonly head: CheckpointRecord;
  /** The session as last read. */
  readonly session: SessionRow;
}

interface Recent extends SeenSession {
  /** True when the last save that read the session found the head that this process had saved. */
  readonly isAlone: boolean;
}

const MOST_SESSIONS = 500;

/**
 * Caches the head of each session that this process saves to, so that the next save needs no round trip to a remote database to read it.
 * The append checks under the lock of the store that the session is unchanged. Sessions to which another process saves are read each time.
 */
export class RecentHeads {
  readonly #sessions = new Map<SessionId, Recent>();

  /** Returns the cached session and head; `undefined` when the save must read them. */
  of(session: SessionId): SeenSession | undefined {
    const recent = this.#sessions.get(session);
    return recent?.isAlone === true ? recent : undefined;
  }

  /** Caches the session and head that a save has read. */
  looked(id: SessionId, head: CheckpointRecord | undefined, session: SessionRow | undefined): void {
    const isAlone = head !== undefined && this.#sessions.get(id)?.head.id === head.id;
    if (head === undefined || session === undefined) this.forget(id);
    else this.#keep({ head, session, isAlone });
  }

  /** Replaces the cached head of a session by a new one. */
  saved(head: CheckpointRecord): void {
    const recent = this.#sessions.get(head.sessionId);
    if (recent !== undefined) this.#keep({ ...recent, head });
  }

  /** Removes a session from the cache. */
  forget(session: SessionId): void {
    this.#sessions.delete(session);
  }

  #keep(recent: Recent): void {
    this.#sessions.delete(recent.session.id);
    this.#sessions.set(recent.session.id, recent);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MOST_SESSIONS && oldest !== undefined) this.forget(oldest);
  }
}
