import { hash, randomBytes } from "node:crypto";
import { type BlobInfo, type BlobKey, type BlobRef, type BlobStore, type QuarantinedBlob, SerialQueue } from "@workrail/core";
import type { Journal } from "./journal.ts";
import type { KeyValues } from "./key-values.ts";
import { sortedKeys } from "./reported-keys.ts";

const BLOBS = "blob/";
const QUARANTINE = "quarantine/";

/** Changes of blobs that await an entry of the journal. */
export interface BlobChanges {
  /** Blobs with a new key, or (`null`) with none, once the entry counts. */
  readonly renamed: Map<BlobRef, string | null>;
  /** Blobs to remove. Their keys are given up by an entry before they are deleted. */
  readonly removed: Set<BlobRef>;
  /** Keys to delete in the end. */
  readonly keys: Set<string>;
}

/**
 * Blobs under keys that are never used twice. The journal says which key holds a blob, so that replacing and removing blobs is part of a
 * change like any other. A process that slept can only delete keys that no entry will ever name again.
 */
export class KvBlobStore implements BlobStore {
  readonly #keys: KeyValues;
  readonly #journal: Journal;
  readonly #change: (work: () => Promise<void>) => Promise<void>;
  readonly #putsIfAbsent = new SerialQueue();
  #changes: BlobChanges | undefined;
  #writes = 0;

  /** @param change makes a change of blobs alone, outside of a change of the catalog. */
  constructor(keys: KeyValues, journal: Journal, change: (work: () => Promise<void>) => Promise<void>) {
    this.#keys = keys;
    this.#journal = journal;
    this.#change = change;
  }

  refOf({ sessionId, checkpointId }: BlobKey): BlobRef {
    return hash("sha256", `${sessionId}/${checkpointId}`, "hex") as BlobRef;
  }

  async put(key: BlobKey, bytes: Uint8Array, options?: { readonly ifAbsent?: boolean }): Promise<BlobRef | undefined> {
    const ref = this.refOf(key);
    await this.#journal.ensureRead();
    if (options?.ifAbsent === true) return this.#putsIfAbsent.run(() => this.#putIfAbsent(ref, bytes));
    if (this.#journal.state.keyOf(ref) !== undefined) await this.replace(ref, bytes);
    else await this.#putPending(ref, bytes);
    return ref;
  }

  async replace(ref: BlobRef, bytes: Uint8Array): Promise<void> {
    await this.#within(async ({ renamed, keys }) => {
      for (const old of await this.#keysOf(ref)) keys.add(old);
      renamed.set(ref, await this.#write(ref, bytes));
    });
  }

  async get(ref: BlobRef): Promise<Uint8Array | undefined> {
    await this.#journal.ensureRead();
    const bytes = await this.#getBy(this.#journal.keyOf(ref));
    if (bytes !== undefined) return bytes;
    // Another process may have changed the blob since.
    await this.#journal.catchUp();
    return this.#getBy(this.#journal.keyOf(ref) ?? (await this.#keysOf(ref)).at(-1));
  }

  /**
   * Tells whether a record may name the blob. A blob that an interrupted save left is copied first: another process may be about to
   * delete its key.
   */
  async has(ref: BlobRef): Promise<boolean> {
    if (this.#journal.keyOf(ref) !== undefined) return true;
    const bytes = await this.#getBy((await this.#keysOf(ref)).at(-1));
    if (bytes === undefined) return false;
    await this.#putPending(ref, bytes);
    return true;
  }

  remove(refs: readonly BlobRef[]): Promise<void> {
    return this.#within(async ({ removed, keys }) => {
      for (const ref of refs) {
        const committed = this.#journal.state.keyOf(ref);
        for (const key of committed === undefined ? await this.#keysOf(ref) : [committed]) keys.add(key);
        removed.add(ref);
      }
    });
  }

  /** The key-value store may keep the bytes of deleted values. */
  erase(refs: readonly BlobRef[]): Promise<void> {
    return this.#within(async ({ removed, keys }) => {
      for (const ref of refs) {
        const quarantined = await sortedKeys(this.#keys, `${QUARANTINE}${ref}.`);
        for (const key of [...(await this.#keysOf(ref)), ...quarantined]) keys.add(key);
        removed.add(ref);
      }
    });
  }

  async quarantine(ref: BlobRef): Promise<string | undefined> {
    let place: string | undefined;
    await this.#within(async ({ renamed, keys }) => {
      const old = await this.#keysOf(ref);
      for (const key of old) {
        const bytes = await this.#keys.get(key);
        if (bytes === undefined) continue;
        place = key.replace(BLOBS, QUARANTINE);
        // When the key exists, an interrupted call wrote these bytes.
        await this.#keys.putIfAbsent(place, bytes);
        keys.add(key);
      }
      if (place !== undefined) renamed.set(ref, null);
    });
    return place;
  }

  async *listQuarantine(): AsyncGenerator<QuarantinedBlob> {
    for await (const place of this.#keys.list(QUARANTINE)) yield { place, sizeBytes: partsOf(place).sizeBytes };
  }

  async *list(): AsyncGenerator<BlobInfo> {
    await this.#journal.catchUp();
    const blobs = new Map((await sortedKeys(this.#keys, BLOBS)).map((key) => [partsOf(key).ref, key]));
    for (const [ref, key] of blobs) yield { ref, sizeBytes: partsOf(this.#journal.keyOf(ref) ?? key).sizeBytes };
  }

  /** Removes the keys of blobs that an interrupted replacement left, but for those that other processes are about to name. */
  async removeAbandoned(): Promise<number> {
    let count = 0;
    await this.#within(async ({ renamed, keys }) => {
      for (const key of await sortedKeys(this.#keys, BLOBS)) {
        const { ref } = partsOf(key);
        const committed = this.#journal.state.keyOf(ref);
        if (committed === undefined || committed === key) continue;
        renamed.set(ref, committed);
        keys.add(key);
        count += 1;
      }
    });
    return count;
  }

  /** Keys of all blobs, of each blob the newest. */
  async newestKeys(): Promise<ReadonlyMap<BlobRef, string>> {
    return new Map((await sortedKeys(this.#keys, BLOBS)).map((key) => [partsOf(key).ref, key]));
  }

  /** Runs work, and collects the changes of blobs that it makes. */
  async collect<T>(work: () => Promise<T>): Promise<{ readonly changes: BlobChanges; readonly result: T }> {
    const changes: BlobChanges = { renamed: new Map(), removed: new Set(), keys: new Set() };
    this.#changes = changes;
    try {
      return { changes, result: await work() };
    } finally {
      this.#changes = undefined;
    }
  }

  async #within(work: (changes: BlobChanges) => Promise<void>): Promise<void> {
    if (this.#changes !== undefined) return work(this.#changes);
    await this.#change(async () => work(this.#changes as BlobChanges));
  }

  async #putIfAbsent(ref: BlobRef, bytes: Uint8Array): Promise<BlobRef | undefined> {
    if (this.#journal.keyOf(ref) !== undefined || (await this.#keysOf(ref)).length > 0) return undefined;
    await this.#putPending(ref, bytes);
    return ref;
  }

  async #putPending(ref: BlobRef, bytes: Uint8Array): Promise<void> {
    this.#journal.notePending(ref, await this.#write(ref, bytes));
  }

  async #getBy(key: string | undefined): Promise<Uint8Array | undefined> {
    const bytes = key === undefined ? undefined : await this.#keys.get(key);
    return bytes === undefined ? undefined : Uint8Array.from(bytes);
  }

  /** Writes bytes under a new key. Later keys of a blob come later in the order of keys. */
  async #write(ref: BlobRef, bytes: Uint8Array): Promise<string> {
    const age = `${String(this.#journal.state.number).padStart(12, "0")}.${String(++this.#writes).padStart(9, "0")}`;
    const key = `${BLOBS}${ref}.${age}.${bytes.length}.${randomBytes(6).toString("hex")}`;
    try {
      await this.#keys.putIfAbsent(key, Uint8Array.from(bytes));
      return key;
    } catch (error) {
      // Nothing may be left that looks like a blob. When that fails too, the blob is garbage that no record names.
      await this.#keys.delete(key).catch(() => undefined);
      throw error;
    }
  }

  /** Returns all keys of a blob, the newest last. */
  #keysOf(ref: BlobRef): Promise<readonly string[]> {
    return sortedKeys(this.#keys, `${BLOBS}${ref}.`);
  }
}

/** The name of a key is the ref, the age, the size and a random part. */
function partsOf(key: string): { readonly ref: BlobRef; readonly sizeBytes: number } {
  const [ref = "", , , size = ""] = key.slice(key.indexOf("/") + 1).split(".");
  return { ref: ref as BlobRef, sizeBytes: Number(size) };
}
