import { type AuditEvent, CHECKPOINT_KINDS, type CheckpointId, type CheckpointRecord, type SessionId, WorkrailError } from "@workrail/core";
import { MemoryDisk, type MemoryStorage, openMemoryStorage } from "@workrail/memory";

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

/** Holds data that could not be written to disk until it is there, up to a limit. */
export class RetainedMemory {
  readonly storage: MemoryStorage;
  readonly #disk = new MemoryDisk();
  readonly #limitBytes: number;
  /** Session of each checkpoint, and its sequence number, counted on from those on disk. */
  readonly #places = new Map<CheckpointId, { readonly sessionId: SessionId; readonly place: number }>();
  readonly #pins = new Map<string, RetainedPin>();

  /** @param limitBytes limit of all blobs, plus a fixed amount for each. Default 64 MiB. */
  constructor(limitBytes: number = LIMIT_BYTES) {
    this.storage = openMemoryStorage({ disk: this.#disk });
    this.#limitBytes = limitBytes;
  }

  get size(): { readonly checkpoints: number; readonly pins: number } {
    return { checkpoints: this.#places.size, pins: this.#pins.size };
  }

  holds(id: CheckpointId): boolean {
    return this.#places.has(id);
  }

  /** Tells whether any data of a session is not on disk yet. */
  holdsOf(session: SessionId): boolean {
    return [...this.#places.values(), ...this.#pins.values()].some(({ sessionId }) => sessionId === session);
  }

  /** Returns the record with its sequence number in the whole session. */
  placed(record: CheckpointRecord): CheckpointRecord {
    return { ...record, sequence: this.#places.get(record.id)?.place ?? record.sequence };
  }

  hold(record: CheckpointRecord, place: number): void {
    this.#places.set(record.id, { sessionId: record.sessionId, place });
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
    const query = { filter: { kinds: CHECKPOINT_KINDS }, limit: Number.MAX_SAFE_INTEGER, offset: 0 };
    return (await this.storage.catalog.list(query)).records.toReversed();
  }

  /** Forgets checkpoints that are on disk now. */
  async forget(written: ReadonlySet<CheckpointId>, at: Date): Promise<void> {
    if (written.size === 0) return;
    // Exclusive: a save in between would be forgotten too.
    await this.storage.locking.exclusively(async () => {
      const [gone, left] = partition(await this.checkpoints(), ({ id }) => written.has(id));
      const audit = { at, action: "rebuild", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
      await this.storage.recovery.replaceAll(left, [], audit);
      const shields = left.flatMap(({ id: checkpointId, shieldedUntil: until }) => (until === undefined ? [] : [{ checkpointId, until }]));
      await this.storage.catalog.commit({ shields, audit: [] });
      for (const { id, blob } of gone) {
        this.#places.delete(id);
        this.#disk.blobs.delete(blob);
      }
    });
  }

  pins(): readonly RetainedPin[] {
    return [...this.#pins.values()];
  }

  /** Records a pin or release; the latest for a key wins. */
  pin(pin: RetainedPin): void {
    this.#pins.delete(nameOf(pin));
    this.#pins.set(nameOf(pin), pin);
  }

  forgetPinsOf(session: SessionId): void {
    for (const [name, { sessionId }] of this.#pins) if (sessionId === session) this.#pins.delete(name);
  }

  /** Forgets a pin that is on disk now, unless it was changed meanwhile. */
  forgetPin(pin: RetainedPin): void {
    if (this.#pins.get(nameOf(pin)) === pin) this.#pins.delete(nameOf(pin));
  }
}

function nameOf({ sessionId, key }: RetainedPin): string {
  return `${sessionId} ${key}`;
}

function partition<T>(all: readonly T[], isFirst: (each: T) => boolean): readonly [T[], T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))];
}
