import {
  type BlobInfo,
  type BlobKey,
  type BlobRef,
  type BlobStore,
  type QuarantinedBlob,
  type Storage,
  WorkrailError,
} from "@workrail/core";
import { isMemoryRef } from "@workrail/memory";
import type { RetainedMemory } from "./retained-memory.ts";
import { standInCatalog } from "./stand-in-catalog.ts";

/**
 * Memory over a storage that may fail. Writes go to memory; reads try memory first, then the storage below.
 *
 * @param below returns the current storage, or throws why there is none.
 */
export function standInStorage(memory: RetainedMemory, below: () => Promise<Storage>): Storage {
  return {
    durability: "memory",
    mode: "memory",
    warnings: [],
    catalog: standInCatalog(memory, async () => (await below()).catalog),
    blobs: new StandInBlobs(memory, async () => (await below()).blobs),
    recovery: NOTHING_TO_RECOVER,
    // The lock of the store on disk may itself be unavailable.
    locking: memory.storage.locking,
    close: async () => {},
  };
}

/** The catalog is rebuilt after the disk is back. */
const NOTHING_TO_RECOVER: Storage["recovery"] = {
  state: async () => "sound",
  async *sessionFacts() {},
  async replaceAll() {
    throw new WorkrailError("INTERNAL", "Memory must not replace the catalog on disk.");
  },
};

class StandInBlobs implements BlobStore {
  readonly #memory: RetainedMemory;
  readonly #above: BlobStore;
  readonly #below: () => Promise<BlobStore>;

  constructor(memory: RetainedMemory, below: () => Promise<BlobStore>) {
    this.#memory = memory;
    this.#above = memory.storage.blobs;
    this.#below = below;
  }

  async put(key: BlobKey, bytes: Uint8Array, options?: { readonly ifAbsent?: boolean }): Promise<BlobRef | undefined> {
    this.#memory.checkRoom(bytes.length);
    return this.#above.put(key, bytes, options);
  }

  async replace(ref: BlobRef, bytes: Uint8Array): Promise<void> {
    await (await this.#homeOf(ref)).replace(ref, bytes);
  }

  async get(ref: BlobRef): Promise<Uint8Array | undefined> {
    return (await this.#homeOf(ref)).get(ref);
  }

  async remove(refs: readonly BlobRef[]): Promise<void> {
    for (const ref of refs) await (await this.#homeOf(ref)).remove([ref]);
  }

  async erase(refs: readonly BlobRef[]): Promise<void> {
    for (const ref of refs) await (await this.#homeOf(ref)).erase([ref]);
  }

  async quarantine(ref: BlobRef): Promise<string | undefined> {
    return (await this.#homeOf(ref)).quarantine(ref);
  }

  async *listQuarantine(): AsyncGenerator<QuarantinedBlob> {
    yield* (await this.#below()).listQuarantine();
  }

  refOf(key: BlobKey): BlobRef {
    return this.#above.refOf(key);
  }

  async *list(): AsyncGenerator<BlobInfo> {
    yield* this.#above.list();
    yield* (await this.#below()).list();
  }

  removeAbandoned(): Promise<number> {
    return this.#above.removeAbandoned();
  }

  async #homeOf(ref: BlobRef): Promise<BlobStore> {
    return isMemoryRef(ref) ? this.#above : this.#below();
  }
}
