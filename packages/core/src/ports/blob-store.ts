import type { WorkrailError } from "../errors.ts";
import type { BlobRef, CheckpointId, SessionId } from "../model/ids.ts";

/** Holds opaque bytes, one blob per checkpoint. Failures reject with `STORAGE_UNAVAILABLE`. */
export interface BlobStore {
  /** True when blobs that are put within a change of the catalog stay only if the change is applied. Default `false`. */
  readonly sharesTransaction?: boolean;
  /**
   * Writes a checkpoint's blob. Resolves when the bytes and their name are durable. A reader never sees part of a blob. With
   * `ifAbsent`: resolves to `undefined` and changes nothing when the checkpoint already has a blob. Without `ifAbsent`: the caller
   * guarantees that the id is new or that its record describes exactly these bytes; an existing blob is replaced atomically. A
   * failed put leaves nothing that could be mistaken for a blob. With `ifAbsent` it may leave the whole blob, because another save
   * under the same id may already rely on it. The caller must not change `bytes` until the promise resolves; afterwards the store
   * holds its own copy.
   */
  put(key: BlobKey, bytes: Uint8Array, options?: { readonly ifAbsent?: boolean }): Promise<BlobRef | undefined>;
  /**
   * Replaces the bytes of a blob that exists or is in quarantine. A reader sees the old or the new bytes, never a mixture. Resolves
   * when the new bytes are durable; after a failure either the old or the new bytes are in place. The caller must not change
   * `bytes` until the promise resolves. Call it within the rule `changeForm`.
   */
  replace(ref: BlobRef, bytes: Uint8Array): Promise<void>;
  /** `undefined` when there is no such blob. */
  get(ref: BlobRef): Promise<Uint8Array | undefined>;
  /**
   * Removes blobs. Resolves when all removals are durable; several take one wait for the disk where possible. Removing a missing blob
   * is not an error. Call it within the rule `reclaim`.
   */
  remove(refs: readonly BlobRef[]): Promise<void>;
  /**
   * Removes blobs so that their bytes can no longer be read, as far as the medium allows. Also removes every copy of a blob that
   * is in quarantine or was left by an interrupted put. Resolves when the removals are durable. An interrupted call can be repeated.
   * Call it within the rule `reclaim`.
   */
  erase(refs: readonly BlobRef[]): Promise<void>;
  /**
   * Moves a blob into quarantine: out of `list` and `get`, to a place where a person can inspect it. Never deletes, and never
   * overwrites another quarantined blob. Resolves, when the move is durable, to a description of the new place for that person, or
   * to `undefined` when there is no such blob. Call it within the rule `markDamaged` or `reclaim`.
   */
  quarantine(ref: BlobRef): Promise<string | undefined>;
  /** Lists the quarantined blobs, in no particular order. */
  listQuarantine(): AsyncIterable<QuarantinedBlob>;
  /** Returns the ref under which `put` keeps, or would keep, the checkpoint's blob. */
  refOf(key: BlobKey): BlobRef;
  /**
   * Lists every blob, in no particular order. Skips a blob that vanishes meanwhile. Reports unreadable places, and things that
   * stand in a blob's place but are not blobs, to `onUnreadable`. Without `onUnreadable`, an unreadable place rejects and a non-blob
   * is skipped.
   */
  list(onUnreadable?: (place: UnreadablePlace) => void): AsyncIterable<BlobInfo>;
  /** Removes files of interrupted puts whose writer has ended. Resolves to their number. */
  removeAbandoned(): Promise<number>;
}

/** Owner of a blob. A store that seals authenticates the key together with the bytes. */
export interface BlobKey {
  readonly sessionId: SessionId;
  readonly checkpointId: CheckpointId;
}

export interface QuarantinedBlob {
  /** Place of the blob, as `quarantine` returned it. */
  readonly place: string;
  readonly sizeBytes: number;
}

/** Unreadable place that may hold blobs: the place of one blob, or a place of several. */
export interface UnreadablePlace {
  readonly ref: BlobRef;
  readonly error: WorkrailError;
}

export interface BlobInfo {
  readonly ref: BlobRef;
  readonly sizeBytes: number;
}
