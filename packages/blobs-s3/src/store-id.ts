import { type BlobKey, type BlobRef, type BlobStore, type CheckpointId, type SessionId, WorkrailError } from "@workrail/core";
import { randomBytes } from "node:crypto";
import { digestOf } from "./stored-object.ts";
import type { S3Objects } from "./s3-objects.ts";

/** Place of the id among the blobs of the catalog's own store. No session has this id: it is hidden from listings. */
const PLACE: BlobKey = { sessionId: "workrail object storage" as SessionId, checkpointId: "store-id" as CheckpointId };

const ID = /^[0-9a-f]{32}$/u;

/**
 * Id of a store, under which its objects are, so that a store never removes the objects of another one in the same bucket. It is kept
 * both in the catalog's own blob store and in the bucket.
 */
export class StoreId {
  readonly #inner: BlobStore;
  readonly #objects: S3Objects;
  #known: Promise<string> | undefined;
  #isProven = false;
  /** True when the id was made within the change under way, which may still be withdrawn. */
  #isNew = false;

  constructor(inner: BlobStore, objects: S3Objects) {
    this.#inner = inner;
    this.#objects = objects;
  }

  /** Tells whether a blob of the inner store is the id. */
  isPlace(ref: BlobRef): boolean {
    return ref === this.#inner.refOf(PLACE);
  }

  /** Resolves to the id; makes one when the store has none. */
  async make(): Promise<string> {
    this.#known ??= this.#make();
    try {
      return await this.#known;
    } catch (error) {
      this.#known = undefined;
      throw error;
    }
  }

  /** Resolves to the id; `undefined` when nothing was stored yet. */
  async find(): Promise<string | undefined> {
    if (this.#known !== undefined) return this.make();
    const bytes = await this.#inner.get(this.#inner.refOf(PLACE));
    if (bytes === undefined) return undefined;
    const id = new TextDecoder().decode(bytes);
    if (!ID.test(id)) throw damaged();
    this.#known = Promise.resolve(id);
    return id;
  }

  /**
   * Proves that the bucket is the one of a store before a missing object counts as missing, or a damaged one as damaged.
   *
   * @param again true: also when it was proven before, because something else may answer in the place of the bucket since.
   * @throws STORAGE_UNAVAILABLE when the bucket does not know the store.
   */
  async prove(id: string, again = false): Promise<void> {
    if (this.#isProven && !again) return;
    const bytes = await this.#objects.get(markerOf(id));
    if (bytes === undefined || new TextDecoder().decode(bytes) !== id) throw elsewhere();
    this.#isProven = true;
  }

  /** Has a new id read again: the change that made it may have been withdrawn. */
  recheck(): void {
    if (this.#isNew) this.#known = undefined;
    this.#isNew = false;
  }

  /** Tells whether the bucket keeps versions of removed objects. */
  isVersioned(id: string): Promise<boolean> {
    return this.#objects.isVersioned(markerOf(id));
  }

  async #make(): Promise<string> {
    const found = await this.find();
    if (found !== undefined) return found;
    const id = randomBytes(16).toString("hex");
    const bytes = new TextEncoder().encode(id);
    // The bucket first: an id that the store has must be known there.
    await this.#objects.put(markerOf(id), bytes, digestOf(bytes));
    if ((await this.#inner.put(PLACE, bytes, { ifAbsent: true })) !== undefined) {
      this.#isNew = true;
      return id;
    }
    // Another process was first.
    const other = await this.#inner.get(this.#inner.refOf(PLACE));
    const text = new TextDecoder().decode(other);
    if (!ID.test(text)) throw damaged();
    return text;
  }
}

function markerOf(id: string): string {
  return `${id}/store`;
}

function elsewhere(): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The object storage does not hold the checkpoints of this store.", {
    details: { reason: "object-storage-other" },
    hint: "Give the bucket and the prefix that the store was used with, as WORKRAIL_BLOBS.",
  });
}

function damaged(): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The id of the store in the object storage is damaged.", {
    details: { reason: "object-storage-other" },
    hint: "Restore the store from a backup.",
  });
}
