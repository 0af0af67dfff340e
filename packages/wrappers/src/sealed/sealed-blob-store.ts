import {
  isWorkrailError,
  refuseObjectPointer,
  type BlobInfo,
  type BlobKey,
  type BlobRef,
  type BlobStore,
  type QuarantinedBlob,
  type Sealer,
  type SessionId,
  type UnreadablePlace,
} from "@workrail/core";

export type BlobSealer = Pick<Sealer, "sealBlob" | "openBlob" | "isKeyKept" | "overheadBytes">;

/** Tells whether a session has no checkpoint, live or in the trash. */
export type IsEmptySession = (sessionId: SessionId) => Promise<boolean>;

/** First byte of the substitute for bytes that cannot be opened. No codec writes it. */
const NO_BLOB = 0;

/**
 * Blob store that seals blobs on write and opens them on read. A blob that was not sealed under its name is returned as bytes
 * that no codec reads, so that callers treat it as damaged, as in an unsealed store.
 */
export class SealedBlobStore implements BlobStore {
  readonly #inner: BlobStore;
  readonly #sealer: BlobSealer;
  readonly #isEmpty: IsEmptySession;

  /** @param isEmpty tells whether a session has no checkpoint. Default: each has none. */
  constructor(inner: BlobStore, sealer: BlobSealer, isEmpty: IsEmptySession = always) {
    this.#inner = inner;
    this.#sealer = sealer;
    this.#isEmpty = isEmpty;
  }

  /**
   * Seals and puts a blob. A concurrent erasure of the session may destroy the key after sealing; the blob is then sealed and put again.
   *
   * @throws KEY_UNAVAILABLE when the key of a session with checkpoints is missing. A new key would take the place of the lost one, and
   * with the lost one restored, nothing that was saved since could be read.
   */
  async put(key: BlobKey, bytes: Uint8Array, options?: { readonly ifAbsent?: boolean }): Promise<BlobRef | undefined> {
    const seal = (ref: BlobRef): Promise<Uint8Array> => this.#sealer.sealBlob(ref, bytes, () => this.#isEmpty(key.sessionId));
    const sealed = await seal(this.#inner.refOf(key));
    const ref = await this.#inner.put(key, sealed, options);
    if (ref !== undefined && !(await this.#sealer.isKeyKept(ref, sealed))) await this.#inner.replace(ref, await seal(ref));
    return ref;
  }

  /** @throws KEY_UNAVAILABLE when the session's key is missing. */
  async replace(ref: BlobRef, bytes: Uint8Array): Promise<void> {
    await this.#inner.replace(ref, await this.#sealer.sealBlob(ref, bytes, never));
  }

  async get(ref: BlobRef): Promise<Uint8Array | undefined> {
    const sealed = await this.#inner.get(ref);
    if (sealed === undefined) return undefined;
    refuseObjectPointer(sealed);
    try {
      return await this.#sealer.openBlob(ref, sealed);
    } catch (error) {
      if (!isWorkrailError(error) || error.code !== "CHECKPOINT_CORRUPT") throw error;
      return Uint8Array.of(NO_BLOB, ...sealed.subarray(0, 64));
    }
  }

  remove(refs: readonly BlobRef[]): Promise<void> {
    return this.#inner.remove(refs);
  }

  erase(refs: readonly BlobRef[]): Promise<void> {
    return this.#inner.erase(refs);
  }

  quarantine(ref: BlobRef): Promise<string | undefined> {
    return this.#inner.quarantine(ref);
  }

  listQuarantine(): AsyncIterable<QuarantinedBlob> {
    return this.#inner.listQuarantine();
  }

  refOf(key: BlobKey): BlobRef {
    return this.#inner.refOf(key);
  }

  async *list(onUnreadable?: (place: UnreadablePlace) => void): AsyncGenerator<BlobInfo> {
    const { overheadBytes } = this.#sealer;
    for await (const { ref, sizeBytes } of this.#inner.list(onUnreadable)) yield { ref, sizeBytes: Math.max(0, sizeBytes - overheadBytes) };
  }

  removeAbandoned(): Promise<number> {
    return this.#inner.removeAbandoned();
  }
}

async function always(): Promise<boolean> {
  return true;
}

async function never(): Promise<boolean> {
  return false;
}
