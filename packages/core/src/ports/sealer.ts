import type { BlobRef, Digest } from "../model/ids.ts";

/**
 * Seals what a store keeps, so that without its key nobody can read it or put something else in its place. Rejects, and
 * the synchronous methods throw, with `KEY_UNAVAILABLE` when a key is missing or is not the one that something was sealed with.
 */
export interface Sealer {
  /** Whether bytes look like a sealed blob: whose, and whether it is whole, only opening tells. */
  isSealed(bytes: Uint8Array): boolean;
  /** How many bytes longer a sealed blob is. */
  readonly overheadBytes: number;
  /** Bytes that only `openBlob` reads, and only under this name. Sealing the same twice gives different bytes. */
  sealBlob(ref: BlobRef, bytes: Uint8Array): Promise<Uint8Array>;
  /**
   * The bytes that were sealed under this name.
   *
   * @throws CHECKPOINT_CORRUPT when they are not what was sealed, or were sealed under another name, or never.
   */
  openBlob(ref: BlobRef, sealed: Uint8Array): Promise<Uint8Array>;
  /** Whether the key that these bytes were sealed with is kept now: it may have been destroyed meanwhile, with all that it sealed. */
  isKeyKept(ref: BlobRef, sealed: Uint8Array): Promise<boolean>;
  /** A text that only `openText` reads: letters, digits, `-`, `_` and `.`. The same for the same, so that equality can be asked for. */
  sealText(text: string): string;
  /** @throws CHECKPOINT_CORRUPT when it is not what was sealed. */
  openText(sealed: string): string;
  /** Another digest, the same for the same, which only who has the key can make: no guess can be confirmed by it. */
  sealDigest(digest: Digest): Digest;
  /** A digest of a text that only who has the key can make. What is digested here has nothing in common with `sealDigest`. */
  authenticate(text: string): Digest;
}

/** The place of the key that all others of the store are wrapped with, or the key of the session that a blob belongs to. */
export type KeyPlace = "store" | BlobRef;

/** Keeps keys, each wrapped by another, beside what they seal. Failures reject with `STORAGE_UNAVAILABLE`. */
export interface KeyFiles {
  /** `undefined` when there is none. Each is kept more than once: a copy that `isIntact`, or where none is any copy. */
  read(place: KeyPlace, isIntact: (bytes: Uint8Array) => boolean): Promise<Uint8Array | undefined>;
  /**
   * Resolves when it is durable. `if-absent`: with `false`, and nothing changed, when there is one already.
   * `replace`: a reader sees the old one or the new one, whole.
   */
  write(place: KeyPlace, bytes: Uint8Array, mode: "if-absent" | "replace"): Promise<boolean>;
  /**
   * Makes the other copies of a key what its first is, where that `isIntact`: an interruption may have left them behind, or they are
   * damaged. For who may write; whoever destroys the key meanwhile leaves none.
   */
  mend(place: KeyPlace, isIntact: (bytes: Uint8Array) => boolean): Promise<void>;
  /** Where each session's key is, whether or not the session has blobs: what a blob of it would be called. */
  sessions(): AsyncIterable<BlobRef>;
  /**
   * Removes the key of the session that a blob belongs to, so that it cannot be read any more, as far as the medium allows, and then
   * every blob of the session, which only this key opened, and what of it was put aside; durable when it resolves. Call it within `Catalog.reclaim`, for a session
   * that the catalog does not know.
   */
  destroy(place: BlobRef): Promise<void>;
  /** Removes every key, that of the store last, so that none can be read any more, as far as the medium allows; durable when it resolves. */
  destroyAll(): Promise<void>;
}
