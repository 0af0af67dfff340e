import {
  ALL,
  type Answers,
  type AuditEvent,
  chained,
  type Change,
  type CheckpointId,
  type CheckpointRecord,
  type CheckpointRow,
  type Read,
  type RowChange,
  type SessionId,
  type SessionRow,
  type ChainedStorage,
  WorkrailError,
} from "@workrail/core";
import { MemoryDisk, openMemoryStorage } from "@workrail/memory";
import { nodeDigests } from "../environment.ts";
import type { KeptRow } from "./kept-rows.ts";

/** A pin or release of a key that is not on disk yet. */
export interface RetainedPin {
  readonly sessionId: SessionId;
  readonly key: string;
  readonly isPinned: boolean;
  readonly audit: readonly AuditEvent[];
}

const LIMIT_BYTES = 64 * 1024 * 1024;
/** Estimated bytes of a checkpoint beside its blob. */
const RECORD_BYTES = 1_024;
/** Commits in memory come after all commits on disk. */
const FIRST_COMMIT = 2 ** 40;

/** Holds data that could not be written to disk until it is there, up to a limit. */
export class RetainedMemory {
  readonly storage: ChainedStorage;
  readonly #disk = new MemoryDisk();
  readonly #limitBytes: number;
  readonly #pins = new Map<string, RetainedPin>();
  readonly #subjects = new Map<CheckpointId, string>();
  #lastCommit = FIRST_COMMIT;

  /** @param limitBytes limit of all blobs, plus a fixed amount for each. Default 64 MiB. */
  constructor(limitBytes: number = LIMIT_BYTES) {
    this.storage = chained(openMemoryStorage({ disk: this.#disk }), (text) => nodeDigests.sha256(text));
    this.#limitBytes = limitBytes;
  }

  get size(): { readonly checkpoints: number; readonly pins: number } {
    return { checkpoints: this.#rows().length, pins: this.#pins.size };
  }

  /** Answers a read from the rows in memory. The row of a session counts checkpoints in memory only. */
  answer<R extends Read>(read: R): Answers[R["of"]] {
    return this.#disk.catalog.answer(read);
  }

  holds(id: CheckpointId): boolean {
    return this.answer({ of: "checkpoint", id }) !== undefined;
  }

  /** Tells whether any data of a session is not on disk yet. */
  holdsOf(session: SessionId): boolean {
    return this.sessions().includes(session);
  }

  /** Returns the sessions with data that is not on disk yet. */
  sessions(): readonly SessionId[] {
    const ids = [...this.#rows().map(({ record }) => record.sessionId), ...this.pins().map(({ sessionId }) => sessionId)];
    return [...new Set(ids)];
  }

  /** Returns the subject of the token that a checkpoint was saved with. */
  subjectOf(id: CheckpointId): string | undefined {
    return this.#subjects.get(id);
  }

  /** Keeps changes, the audit rows of pins, and the subjects of saves. */
  keep(rows: readonly KeptRow[], audit: readonly AuditEvent[]): void {
    for (const { action, checkpointId, subject } of audit)
      if (action === "save" && checkpointId !== undefined && subject !== undefined) this.#subjects.set(checkpointId, subject);
    for (const row of rows) {
      if (row.table === "checkpoint") this.#keepCheckpoint(row);
      else if (row.was !== undefined && row.now !== undefined) this.#keepPins(row.was.pins, row.now, audit);
    }
    for (const row of rows) if (row.table === "session" && row.now !== undefined) this.#keepSession(row.now);
  }

  /** @throws STORAGE_UNAVAILABLE with the reason `memory-full`. */
  checkRoom(bytes: number): void {
    let taken = bytes + RECORD_BYTES;
    for (const blob of this.#disk.blobs.values()) taken += blob.length + RECORD_BYTES;
    if (taken <= this.#limitBytes) return;
    throw new WorkrailError("STORAGE_UNAVAILABLE", "The memory for checkpoints that cannot be written is full.", {
      details: { reason: "memory-full", memoryLimitBytes: this.#limitBytes },
    });
  }

  /** Returns the checkpoints in the order they were saved, oldest first. */
  async checkpoints(): Promise<readonly CheckpointRecord[]> {
    return this.#rows().map(({ record }) => record);
  }

  /** Forgets checkpoints that are on disk now. */
  async forget(written: ReadonlySet<CheckpointId>): Promise<void> {
    // Exclusive: a save that is being decided reads these rows.
    await this.storage.locking.exclusively(async () => {
      for (const row of this.#rows().filter(({ record }) => written.has(record.id))) {
        this.#apply({ table: "checkpoint", was: row, now: undefined });
        const session = this.answer({ of: "session", id: row.record.sessionId });
        if (session !== undefined) this.#keepSession(session);
        this.#disk.blobs.delete(row.record.blob);
        this.#subjects.delete(row.record.id);
      }
    });
  }

  /** Returns pins of a session after the pins and releases in memory. */
  pinsAfter(session: SessionId, before: readonly string[]): readonly string[] {
    const keys = new Set(before);
    for (const { sessionId, key, isPinned } of this.#pins.values()) {
      if (sessionId !== session) continue;
      if (isPinned) keys.add(key);
      else keys.delete(key);
    }
    return [...keys];
  }

  pins(): readonly RetainedPin[] {
    return [...this.#pins.values()];
  }

  forgetPinsOf(session: SessionId): void {
    for (const [name, { sessionId }] of this.#pins) if (sessionId === session) this.#pins.delete(name);
  }

  /** Forgets a pin that is on disk now, unless it was changed meanwhile. */
  forgetPin(pin: RetainedPin): void {
    if (this.#pins.get(nameOf(pin)) === pin) this.#pins.delete(nameOf(pin));
  }

  #rows(): readonly CheckpointRow[] {
    return this.answer({ of: "checkpoints", where: { state: "any" }, order: "oldest", limit: ALL });
  }

  #apply(row: RowChange): void {
    this.#disk.catalog.apply({ rows: [row], audit: [] });
  }

  #keepCheckpoint({ was, now }: Change<CheckpointRow>): void {
    this.#apply({ table: "checkpoint", was, now: now && { ...now, commit: now.commit ?? (this.#lastCommit += 1) } });
  }

  /** Keeps the row of a session with checkpoints in memory, with their counts. */
  #keepSession(session: SessionRow): void {
    const was = this.answer({ of: "session", id: session.id });
    const records = this.#rows().flatMap(({ record }) => (record.sessionId === session.id ? [record] : []));
    const counts = {
      checkpointCount: records.length,
      asideCount: records.filter(({ kind }) => kind === "aside").length,
      totalBytes: records.reduce((sum, { blobBytes }) => sum + blobBytes, 0),
    };
    this.#apply({ table: "session", was, now: records.length === 0 ? undefined : { ...session, ...counts } });
  }

  /** Records pins and releases; the latest for a key wins. */
  #keepPins(before: readonly string[], { id: sessionId, pins }: SessionRow, audit: readonly AuditEvent[]): void {
    const pinned = pins.filter((key) => !before.includes(key)).map((key) => ({ sessionId, key, isPinned: true, audit }));
    const released = before.filter((key) => !pins.includes(key)).map((key) => ({ sessionId, key, isPinned: false, audit }));
    for (const pin of [...pinned, ...released]) {
      this.#pins.delete(nameOf(pin));
      this.#pins.set(nameOf(pin), pin);
    }
  }
}

function nameOf({ sessionId, key }: RetainedPin): string {
  return `${sessionId} ${key}`;
}
