import type { BlobInfo, BlobKey, BlobRef, BlobStore, QuarantinedBlob } from "@workrail/core";
import type { MemoryDisk } from "./memory-disk.ts";

const PREFIX = "memory:";

/** Tells whether a blob is in the memory of this or another process. */
export function isMemoryRef(ref: BlobRef): boolean {
  return ref.startsWith(PREFIX);
}

/** Blob store in a map. Bytes are copied on input and output, so callers cannot change the stored ones. */
export class MemoryBlobStore implements BlobStore {
  readonly #blobs: MemoryDisk["blobs"];
  readonly #quarantine: MemoryDisk["quarantine"];

  constructor(disk: MemoryDisk) {
    this.#blobs = disk.blobs;
    this.#quarantine = disk.quarantine;
  }

  async put(key: BlobKey, bytes: Uint8Array, options?: { readonly ifAbsent?: boolean }): Promise<BlobRef | undefined> {
    const ref = this.refOf(key);
    if (options?.ifAbsent === true && this.#blobs.has(ref)) return undefined;
    this.#blobs.set(ref, Uint8Array.from(bytes));
    return ref;
  }

  async replace(ref: BlobRef, bytes: Uint8Array): Promise<void> {
    this.#blobs.set(ref, Uint8Array.from(bytes));
  }

  async get(ref: BlobRef): Promise<Uint8Array | undefined> {
    const bytes = this.#blobs.get(ref);
    return bytes === undefined ? undefined : Uint8Array.from(bytes);
  }

  async remove(refs: readonly BlobRef[]): Promise<void> {
    for (const ref of refs) this.#blobs.delete(ref);
  }

  async erase(refs: readonly BlobRef[]): Promise<void> {
    await this.remove(refs);
    for (const aside of refs.map((ref) => `quarantine/${ref}`)) {
      for (const place of this.#quarantine.keys()) {
        if (place.startsWith(aside) && /^(\.\d+)?$/u.test(place.slice(aside.length))) this.#quarantine.delete(place);
      }
    }
  }

  async quarantine(ref: BlobRef): Promise<string | undefined> {
    const bytes = this.#blobs.get(ref);
    if (bytes === undefined) return undefined;
    let place = `quarantine/${ref}`;
    for (let number = 1; this.#quarantine.has(place); number++) place = `quarantine/${ref}.${number}`;
    this.#quarantine.set(place, bytes);
    this.#blobs.delete(ref);
    return place;
  }

  async *listQuarantine(): AsyncGenerator<QuarantinedBlob> {
    for (const [place, bytes] of this.#quarantine) yield { place, sizeBytes: bytes.length };
  }

  refOf(key: BlobKey): BlobRef {
    return `${PREFIX}${key.sessionId}/${key.checkpointId}` as BlobRef;
  }

  async *list(): AsyncGenerator<BlobInfo> {
    for (const [ref, bytes] of this.#blobs) yield { ref, sizeBytes: bytes.length };
  }

  /** Does nothing: a put in memory is never interrupted. */
  async removeAbandoned(): Promise<number> {
    return 0;
  }
}
