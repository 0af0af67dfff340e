import { type Background, type CatalogPort, isWorkrailError, type Log, removeBlobs, type Storage, reclaimBlobs } from "@workrail/core";

/** Free space below which a warning is logged. The warning repeats only after twice as much was free in between. */
const LITTLE_BYTES = 64 * 1024 * 1024;
/** Reasons of `STORAGE_UNAVAILABLE` that more free space would solve. */
const NO_ROOM = new Set<unknown>(["disk-full", "quota"]);

/** Generous bound of the bytes a save writes in addition to its blob: the session's row, the catalog's log, and the removals themselves. */
const BESIDE_BYTES = 256 * 1024;

export interface DiskRoomParts {
  readonly storage: Storage;
  readonly catalog: CatalogPort;
  readonly background: Background;
  readonly log: Log;
  /** Removes checkpoints that the policy allows to remove, within a save's turn. */
  readonly makeRoom: (needed: { readonly bytes: number; readonly leastBytes: number }) => Promise<unknown>;
}

/** Manages free disk space: keeps a reserve, warns when little is left, and makes room for a save that finds none. */
export class DiskRoom {
  readonly #storage: Storage;
  readonly #catalog: CatalogPort;
  readonly #background: Background;
  readonly #log: Log;
  readonly #makeRoom: DiskRoomParts["makeRoom"];
  #isTold = false;

  constructor({ storage, catalog, background, log, makeRoom }: DiskRoomParts) {
    this.#makeRoom = makeRoom;
    this.#storage = storage;
    this.#catalog = catalog;
    this.#background = background;
    this.#log = log;
  }

  /** Checks free space in the background, after opening and after each save. The number is a hint; only a write proves that it fits. */
  watch(): void {
    const { reserve } = this.#storage;
    if (reserve === undefined) return;
    this.#background.run("check free space on the disk", async () => {
      const freeBytes = reserve.freeBytes();
      if (freeBytes >= 2 * LITTLE_BYTES) this.#isTold = false;
      if (freeBytes < LITTLE_BYTES && !this.#isTold) {
        this.#isTold = true;
        this.#log.warn("the disk of the store is nearly full", { freeBytes });
      }
      await reserve.keep();
    });
  }

  /**
   * Makes room for a blob whose write failed for lack of space. Returns whether it did.
   *
   * Releases the reserve and unused files first, then removes checkpoints that the store's policy allows to remove. The caller holds the
   * store's lock.
   */
  async relieve(failure: unknown, blobBytes: number): Promise<boolean> {
    const { reserve, blobs } = this.#storage;
    if (reserve === undefined || !isWorkrailError(failure) || !NO_ROOM.has(failure.details["reason"])) return false;
    const givenBack = await reserve.release();
    await reclaimBlobs(this.#catalog, undefined, removeBlobs({ blobs }));
    // Under a quota, the free space of the disk does not count.
    const free = failure.details["reason"] === "quota" ? givenBack : reserve.freeBytes();
    const missing = blobBytes + BESIDE_BYTES - free;
    if (missing > 0) await this.#makeRoom({ bytes: missing, leastBytes: missing - BESIDE_BYTES });
    return true;
  }
}
