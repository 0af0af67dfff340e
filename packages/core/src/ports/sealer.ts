import type { BlobRef, Digest } from "../model/ids.ts";

/**
 * Encrypts and authenticates the data of a store: without the key it cannot be read or replaced. When a key is missing or wrong,
 * asynchronous methods reject, and synchronous methods throw, with `KEY_UNAVAILABLE`.
 */
export interface Sealer {
  /** True when the bytes look like a sealed blob. Only opening the blob checks its key and integrity. */
  isSealed(bytes: Uint8Array): boolean;
  /** Bytes that sealing adds to a blob. */
  readonly overheadBytes: number;
  /**
   * Seals bytes under a ref. Only `openBlob` with the same ref opens them. Sealing the same bytes twice gives different results.
   *
   * @param mayMakeKey tells whether a session without a key gets one. Default: it does.
   * @throws KEY_UNAVAILABLE when the session's key is damaged, or missing and none may be made.
   */
  sealBlob(ref: BlobRef, bytes: Uint8Array, mayMakeKey?: () => Promise<boolean>): Promise<Uint8Array>;
  /**
   * Returns the bytes that were sealed under this ref.
   *
   * @throws CHECKPOINT_CORRUPT when the bytes were changed, sealed under another ref, or never sealed.
   */
  openBlob(ref: BlobRef, sealed: Uint8Array): Promise<Uint8Array>;
  /** True when the key of these sealed bytes still exists. A destroyed key makes everything sealed with it unreadable. */
  isKeyKept(ref: BlobRef, sealed: Uint8Array): Promise<boolean>;
  /** Seals a text into letters, digits, `-`, `_` and `.`; only `openText` reads it. Deterministic, so that equality queries work. */
  sealText(text: string): string;
  /**
   * Opens a sealed text.
   *
   * @throws CHECKPOINT_CORRUPT when the text was not sealed, or was changed.
   */
  openText(sealed: string): string;
  /** Maps a digest to a keyed digest, deterministically. Without the key, a guess of the content cannot be confirmed. */
  sealDigest(digest: Digest): Digest;
  /** Returns a keyed digest (MAC) of a text. Its domain is separate from `sealDigest`. */
  authenticate(text: string): Digest;
}

/** Place of a key: `"store"` for the key that wraps all others, or a blob ref for the key of the blob's session. */
export type KeyPlace = "store" | BlobRef;

/** Stores wrapped keys beside the data they seal. Failures reject with `STORAGE_UNAVAILABLE`. */
export interface KeyFiles {
  /** Reads a key; `undefined` when there is none. Each key has several copies: returns one that `isIntact`, or any copy when none is. */
  read(place: KeyPlace, isIntact: (bytes: Uint8Array) => boolean): Promise<Uint8Array | undefined>;
  /**
   * Writes a key; durable when it resolves. `if-absent`: resolves with `false` and changes nothing when the key exists. `replace`:
   * a reader sees the old or the new key, never a mixture.
   */
  write(place: KeyPlace, bytes: Uint8Array, mode: "if-absent" | "replace"): Promise<boolean>;
  /**
   * Overwrites stale or damaged copies of a key with its first copy, if that copy `isIntact`. An interrupted write leaves such
   * copies. Only for processes that may write. If another process destroys the key meanwhile, no copy remains.
   */
  mend(place: KeyPlace, isIntact: (bytes: Uint8Array) => boolean): Promise<void>;
  /** Lists the places of all session keys, as refs, including sessions without blobs. */
  sessions(): AsyncIterable<BlobRef>;
  /**
   * Destroys the key of a blob's session, as far as the medium allows, then removes every blob of the session, including
   * quarantined ones. Durable when it resolves. Call it within the rule `reclaim`, for a session that the catalog does not know.
   */
  destroy(place: BlobRef): Promise<void>;
  /** Destroys every key, as far as the medium allows, the store's key last. Durable when it resolves. */
  destroyAll(): Promise<void>;
}
