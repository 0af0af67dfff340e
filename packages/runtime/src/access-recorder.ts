import {
  type AuditEvent,
  type Background,
  type CatalogPort,
  type CheckpointRecord,
  type Clock,
  type Locking,
  SerialQueue,
  commit,
} from "@workrail/core";

/** Loads are recorded in batches, so that a load does not wait for the disk. */
const DELAY_MS = 1_000;
/** Pending loads that trigger a write at once: a program that loads in a loop must not pile them up. */
const MOST = 1_000;
/** Most loads kept after a failed write. Below `MOST`, or each later load would retry the write. */
const MOST_PUT_BACK = MOST / 2;

/** Records loads shortly after they happen, for the audit log and for everything that depends on the last activity. */
export class AccessRecorder {
  readonly #catalog: CatalogPort;
  readonly #locking: Locking;
  readonly #clock: Clock;
  readonly #background: Background;
  readonly #writes = new SerialQueue();
  #pending: { readonly record: CheckpointRecord; readonly at: Date; readonly subject: string | undefined }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: { readonly catalog: CatalogPort; readonly locking: Locking; readonly clock: Clock; readonly background: Background }) {
    this.#catalog = ports.catalog;
    this.#locking = ports.locking;
    this.#clock = ports.clock;
    this.#background = ports.background;
  }

  /** @param subject of the token of the caller that loaded it. */
  record(record: CheckpointRecord, subject?: string): void {
    this.#pending.push({ record, at: this.#clock.now(), subject });
    if (this.#pending.length >= MOST) this.flush();
    // The timer does not keep a finished program running; `flush` at closing writes the rest.
    else this.#timer ??= setTimeout(() => this.flush(), DELAY_MS).unref();
  }

  /** Queues a write of the pending loads. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.length > 0) this.#background.run("record loads", () => this.write());
  }

  /**
   * Writes the pending loads. Resolves when these and any write in progress are durable.
   *
   * After a failed write the newest loads become pending again. When the outcome of the write is unknown, a load may be recorded twice.
   */
  write(): Promise<void> {
    return this.#writes.run(() => this.#writePending());
  }

  async #writePending(): Promise<void> {
    const loads = this.#pending;
    this.#pending = [];
    if (loads.length === 0) return;
    const accesses = loads.map(({ record, at }) => ({ checkpointId: record.id, at }));
    const audit = loads.map(({ record, at, subject }): AuditEvent => {
      return { at, action: "load", sessionId: record.sessionId, checkpointId: record.id, agentId: undefined, subject };
    });
    try {
      await this.#locking.shared(() => this.#catalog.change(commit({ accesses, audit })));
    } catch (error) {
      this.#pending = [...loads, ...this.#pending].slice(-MOST_PUT_BACK);
      throw error;
    }
  }
}
