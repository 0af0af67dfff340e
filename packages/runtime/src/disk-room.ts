import { type Background, isWorkrailError, type Log, type Storage } from "@workrail/core";

/** Below this people are told, and told again once there has been twice as much. */
const LITTLE_BYTES = 64 * 1024 * 1024;
/** Reasons of `STORAGE_UNAVAILABLE` that room is the answer to. */
const NO_ROOM = new Set<unknown>(["disk-full", "quota"]);

/** Sees to the room on the disk: keeps some in reserve, says when little is left, and makes some for a save that finds none. */
export class DiskRoom {
  readonly #storage: Storage;
  readonly #background: Background;
  readonly #log: Log;
  #isTold = false;

  constructor({ storage, background, log }: { readonly storage: Storage; readonly background: Background; readonly log: Log }) {
    this.#storage = storage;
    this.#background = background;
    this.#log = log;
  }

  /** Soon, when the store has been opened and after each save. How much is left is a hint: a write alone tells whether it fits. */
  watch(): void {
    const { reserve } = this.#storage;
    if (reserve === undefined) return;
    this.#background.run("see to the room on the disk", async () => {
      this.#tell(reserve.freeBytes());
      await reserve.keep();
    });
  }

  /**
   * Makes the room that can be had without taking anything from anybody, when that is what a write failed for, and says
   * whether it did. The caller holds the store.
   */
  async relieve(failure: unknown): Promise<boolean> {
    const { reserve, catalog, blobs } = this.#storage;
    if (reserve === undefined || !isWorkrailError(failure) || !NO_ROOM.has(failure.details["reason"])) return false;
    await reserve.release();
    await catalog.reclaim(undefined, (ref) => blobs.remove(ref));
    return true;
  }

  #tell(freeBytes: number): void {
    if (freeBytes >= 2 * LITTLE_BYTES) this.#isTold = false;
    if (freeBytes >= LITTLE_BYTES || this.#isTold) return;
    this.#isTold = true;
    this.#log.warn("little room is left on the disk of the store", { freeBytes });
  }
}
