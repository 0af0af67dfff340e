import type { Locking, SessionId } from "@workrail/core";
import type { MemoryDisk } from "./memory-disk.ts";

/** Locking for the store of a single process: an exclusive lock in the process is exclusive for the store. */
export class MemoryLocking implements Locking {
  readonly #disk: MemoryDisk;

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
  }

  inOrder<T>(session: SessionId, work: () => Promise<T>): Promise<T> {
    return this.#disk.gate.inOrder(session, work);
  }

  shared<T>(work: () => Promise<T>): Promise<T> {
    return this.#disk.gate.shared(work);
  }

  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#disk.gate.alone(work);
  }
}
