import type { SessionRow } from "../../catalog/rows.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { SessionId } from "../../model/ids.ts";

/** What a save learns of its session. */
export interface SeenSession {
  readonly head: CheckpointRecord;
  /** As it was when the session was last read. */
  readonly session: SessionRow;
}

interface Recent extends SeenSession {
  /** True when the last save that read the session found the head that this process had saved. */
  readonly isAlone: boolean;
}

const MOST_SESSIONS = 500;

/**
 * Keeps the head of each session that this process saves to, so that the next save need not read it, which takes a round trip to a
 * database elsewhere. The append proves under the lock of the store that the session is still the same. Sessions to which another process
 * saves are read each time.
 */
export class RecentHeads {
  readonly #sessions = new Map<SessionId, Recent>();

  /** Returns what the next save would find; `undefined` when it has to look. */
  of(session: SessionId): SeenSession | undefined {
    const recent = this.#sessions.get(session);
    return recent?.isAlone === true ? recent : undefined;
  }

  /** Takes what a save found. */
  looked(id: SessionId, head: CheckpointRecord | undefined, session: SessionRow | undefined): void {
    const isAlone = head !== undefined && this.#sessions.get(id)?.head.id === head.id;
    if (head === undefined || session === undefined) this.forget(id);
    else this.#keep({ head, session, isAlone });
  }

  /** Takes a head that was saved after what was found before. */
  saved(head: CheckpointRecord): void {
    const recent = this.#sessions.get(head.sessionId);
    if (recent !== undefined) this.#keep({ ...recent, head });
  }

  /** The next save looks again. */
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
