import {
  type AuditEvent,
  type Background,
  type Catalog,
  type CheckpointRecord,
  type Clock,
  type Locking,
  SerialQueue,
} from "@workrail/core";

/** Loads are written down together: a load must not wait for the disk. */
const DELAY_MS = 1_000;
/** A program that loads in a loop must not pile them up. */
const MOST = 1_000;
/** Of those that could not be written; fewer, for else each load would try again. */
const MOST_PUT_BACK = MOST / 2;

/** Records loads, for the audit log and for what depends on the last activity, soon after they happened. */
export class AccessRecorder {
  readonly #catalog: Catalog;
  readonly #locking: Locking;
  readonly #clock: Clock;
  readonly #background: Background;
  readonly #writes = new SerialQueue();
  #pending: { readonly record: CheckpointRecord; readonly at: Date }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: { readonly catalog: Catalog; readonly locking: Locking; readonly clock: Clock; readonly background: Background }) {
    this.#catalog = ports.catalog;
    this.#locking = ports.locking;
    this.#clock = ports.clock;
    this.#background = ports.background;
  }

  record(record: CheckpointRecord): void {
    this.#pending.push({ record, at: this.#clock.now() });
    if (this.#pending.length >= MOST) this.flush();
    // Does not keep a program running that is otherwise done; `flush` at closing writes what is left.
    else this.#timer ??= setTimeout(() => this.flush(), DELAY_MS).unref();
  }

  /** Queues what is pending to be written. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.length > 0) this.#background.run("record loads", () => this.write());
  }

  /**
   * Writes what is pending now, and resolves when that is durable, with what was being written already. What cannot be written is
   * pending again, the newest of it; where nobody knows whether it was, it may be recorded twice.
   */
  write(): Promise<void> {
    return this.#writes.run(() => this.#writePending());
  }

  async #writePending(): Promise<void> {
    const loads = this.#pending;
    this.#pending = [];
    if (loads.length === 0) return;
    const accesses = loads.map(({ record, at }) => ({ checkpointId: record.id, at }));
    const audit = loads.map(({ record, at }): AuditEvent => {
      return { at, action: "load", sessionId: record.sessionId, checkpointId: record.id, agentId: undefined };
    });
    try {
      await this.#locking.shared(() => this.#catalog.commit({ accesses, audit }));
    } catch (error) {
      this.#pending = [...loads, ...this.#pending].slice(-MOST_PUT_BACK);
      throw error;
    }
  }
}
