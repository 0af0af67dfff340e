import type { WorkrailError } from "../errors.ts";
import type { BlobRef, CheckpointId, SessionId } from "../model/ids.ts";

/** Holds opaque bytes, one blob a checkpoint. Failures reject with `STORAGE_UNAVAILABLE`. */
export interface BlobStore {
  /**
   * Resolves when the bytes, and the name they are found under, are durable. A reader never sees part of them.
   * With `ifAbsent` it resolves to `undefined`, and changes nothing, when the checkpoint already has a blob;
   * without it the caller vouches that the id is new, or that its record means these very bytes, and a blob that is
   * there is replaced at once. A failed put leaves nothing that can be taken for a blob; with `ifAbsent` it may leave the
   * whole blob, for whoever saves under the same id may count on it already. Until it resolves, the caller leaves the bytes
   * as they are; from then on the store has its own.
   */
  put(key: BlobKey, bytes: Uint8Array, options?: { readonly ifAbsent?: boolean }): Promise<BlobRef | undefined>;
  /**
   * Gives a blob that exists, or that was put into quarantine, other bytes. A reader sees the old ones or the new ones, whole; resolves when the new ones
   * are durable, and when it fails the old ones stand or the new ones do. The caller leaves them as they are until then. Call it within `Catalog.replaceBlob`.
   */
  replace(ref: BlobRef, bytes: Uint8Array): Promise<void>;
  /** `undefined` when there is no such blob. */
  get(ref: BlobRef): Promise<Uint8Array | undefined>;
  /** Resolves when the removal is durable. Removing a missing blob is not an error. Call it within `Catalog.reclaim`. */
  remove(ref: BlobRef): Promise<void>;
  /**
   * Removes a blob so that its bytes cannot be read any more, as far as the medium allows, and so every copy of it that was put
   * into quarantine, or that an interrupted put left behind. Resolves when that is durable. May be interrupted at any moment, and
   * be called again. Call it within `Catalog.reclaim`.
   */
  erase(ref: BlobRef): Promise<void>;
  /**
   * Puts a blob aside, out of `list` and `get`, where a person can look at it; never removes, and never takes the place of
   * another that is there. Resolves, when that is durable, with where it is now, in words for that person; with
   * `undefined` when there is no such blob. Call it within `Catalog.markDamaged` or `Catalog.reclaim`.
   */
  quarantine(ref: BlobRef): Promise<string | undefined>;
  /** What is in quarantine, in no particular order. */
  listQuarantine(): AsyncIterable<QuarantinedBlob>;
  /** Where `put` keeps, or would keep, the checkpoint's blob. */
  refOf(key: BlobKey): BlobRef;
  /**
   * Every blob there is, in no particular order; one that vanishes meanwhile is passed over. What nobody can look into, and what stands
   * in a blob's place and is none, is told to `onUnreadable`; without it the first rejects, and the other is passed over.
   */
  list(onUnreadable?: (place: UnreadablePlace) => void): AsyncIterable<BlobInfo>;
  /** Removes what interrupted puts left behind and nobody is still writing; resolves with how many. */
  removeAbandoned(): Promise<number>;
}

/** What a blob belongs to. A store that seals authenticates it with the bytes. */
export interface BlobKey {
  readonly sessionId: SessionId;
  readonly checkpointId: CheckpointId;
}

export interface QuarantinedBlob {
  /** Where it is, as `quarantine` told. */
  readonly place: string;
  readonly sizeBytes: number;
}

/** Where blobs may be that nobody can read: a blob's own place, or one of several. */
export interface UnreadablePlace {
  readonly ref: BlobRef;
  readonly error: WorkrailError;
}

export interface BlobInfo {
  readonly ref: BlobRef;
  readonly sizeBytes: number;
}
