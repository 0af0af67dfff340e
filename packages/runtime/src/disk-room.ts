import { type Background, isWorkrailError, type Log, removeBlob, type Storage } from "@workrail/core";

/** Below this people are told, and told again once there has been twice as much. */
const LITTLE_BYTES = 64 * 1024 * 1024;
/** Reasons of `STORAGE_UNAVAILABLE` that room is the answer to. */
const NO_ROOM = new Set<unknown>(["disk-full", "quota"]);

/** What a save writes beside its blob, with room to spare: the session's facts, the catalog's log, and the removals themselves. */
const BESIDE_BYTES = 256 * 1024;

export interface DiskRoomParts {
  readonly storage: Storage;
  readonly background: Background;
  readonly log: Log;
  /** Removes what may be removed for it, within a save's turn. */
  readonly makeRoom: (needed: { readonly bytes: number; readonly leastBytes: number }) => Promise<unknown>;
}

/** Sees to the room on the disk: keeps some in reserve, says when little is left, and makes some for a save that finds none. */
export class DiskRoom {
  readonly #storage: Storage;
  readonly #background: Background;
  readonly #log: Log;
  readonly #makeRoom: DiskRoomParts["makeRoom"];
  #isTold = false;

  constructor({ storage, background, log, makeRoom }: DiskRoomParts) {
    this.#makeRoom = makeRoom;
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
   * Makes room for a blob, when that is what its write failed for, and says whether it did: first what can be had without
   * taking anything from anybody; where that is too little, of what the store's rules let go. The caller holds the store.
   */
  async relieve(failure: unknown, blobBytes: number): Promise<boolean> {
    const { reserve, catalog, blobs } = this.#storage;
    if (reserve === undefined || !isWorkrailError(failure) || !NO_ROOM.has(failure.details["reason"])) return false;
    const givenBack = await reserve.release();
    await catalog.reclaim(undefined, removeBlob({ blobs }));
    // Within a quota, what is free on the disk says nothing.
    const free = failure.details["reason"] === "quota" ? givenBack : reserve.freeBytes();
    const missing = blobBytes + BESIDE_BYTES - free;
    if (missing > 0) await this.#makeRoom({ bytes: missing, leastBytes: missing - BESIDE_BYTES });
    return true;
  }

  #tell(freeBytes: number): void {
    if (freeBytes >= 2 * LITTLE_BYTES) this.#isTold = false;
    if (freeBytes >= LITTLE_BYTES || this.#isTold) return;
    this.#isTold = true;
    this.#log.warn("little room is left on the disk of the store", { freeBytes });
  }
}
