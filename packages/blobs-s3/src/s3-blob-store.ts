import {
  type BlobInfo,
  type BlobKey,
  type BlobRef,
  type BlobStore,
  isFaultOfOneFile,
  isObjectPointer,
  type QuarantinedBlob,
  type UnreadablePlace,
} from "@workrail/core";
import type { GivenUp, GivenUpObjects } from "./given-up-objects.ts";
import type { S3Objects } from "./s3-objects.ts";
import type { StoreId } from "./store-id.ts";
import { digestOf, folderOf, keyOf, newObject, pointedTo, pointerTo, quarantineKeyOf, type StoredObject } from "./stored-object.ts";

export interface S3BlobStoreParts {
  /** The catalog's own blob store, which keeps the pointers. */
  readonly inner: BlobStore;
  readonly objects: S3Objects;
  readonly id: StoreId;
  readonly givenUp: GivenUpObjects;
  /** Age from which an object that no blob names is not the object of a put under way. */
  readonly graceMs: number;
}

/** Object that was just written, with the times when that began. */
interface NewObject {
  readonly stored: StoredObject;
  readonly wall: number;
  readonly monotonic: number;
}

/** First byte of the substitute for bytes that are damaged. No codec writes it. */
const NO_BLOB = 0;

/**
 * Blobs as objects in a bucket. The catalog's own blob store keeps a pointer in the place of each, so that naming, replacing and removing a
 * blob happen there, within the same change as the rows. An object is written before its pointer, under a name that is never used again.
 * Blobs that the inner store kept before are read from there.
 */
export class S3BlobStore implements BlobStore {
  readonly #parts: S3BlobStoreParts;

  constructor(parts: S3BlobStoreParts) {
    this.#parts = parts;
  }

  refOf(key: BlobKey): BlobRef {
    return this.#parts.inner.refOf(key);
  }

  async put(key: BlobKey, bytes: Uint8Array, options?: { readonly ifAbsent?: boolean }): Promise<BlobRef | undefined> {
    const { inner, givenUp } = this.#parts;
    const ref = this.refOf(key);
    const object = await this.#store(ref, bytes);
    const placed = await inner.put(key, pointerTo(object.stored), options);
    if (placed === undefined) await givenUp.add({ ref, object: object.stored, isErased: false });
    else if (this.#isLate(object)) await this.replace(ref, bytes);
    return placed;
  }

  async replace(ref: BlobRef, bytes: Uint8Array): Promise<void> {
    const { inner, givenUp } = this.#parts;
    const replaced = await this.#objectOf(ref);
    let object: NewObject;
    do {
      object = await this.#store(ref, bytes);
      await inner.replace(ref, pointerTo(object.stored));
    } while (this.#isLate(object));
    await givenUp.add({ ref, object: replaced, isErased: false });
  }

  async get(ref: BlobRef): Promise<Uint8Array | undefined> {
    const { inner, id } = this.#parts;
    for (let missing: string | undefined; ;) {
      const stored = await inner.get(ref);
      const object = stored === undefined ? undefined : pointedTo(stored);
      if (object === undefined) return stored !== undefined && isObjectPointer(stored) ? noBlob(stored) : stored;
      const bytes = await this.#read(object);
      if (bytes !== undefined) return bytes;
      if (missing === object.name) {
        await id.prove(object.store);
        return undefined;
      }
      // Another process may have replaced the blob since.
      missing = object.name;
    }
  }

  async remove(refs: readonly BlobRef[]): Promise<void> {
    const { inner, givenUp } = this.#parts;
    const removed = await this.#givenUp(refs, false);
    await inner.remove(refs);
    await givenUp.add(...removed);
  }

  async erase(refs: readonly BlobRef[]): Promise<void> {
    const { inner, givenUp } = this.#parts;
    const erased = await this.#givenUp(refs, true);
    await inner.erase(refs);
    await givenUp.add(...erased);
  }

  /** Copies the object under `quarantine/`, and moves the pointer, which holds the copy's name. */
  async quarantine(ref: BlobRef): Promise<string | undefined> {
    const { inner, objects, id, givenUp } = this.#parts;
    const stored = await inner.get(ref);
    if (stored === undefined || !isObjectPointer(stored)) return inner.quarantine(ref);
    const object = pointedTo(stored);
    // A damaged pointer may have named any object of its ref.
    const names = object === undefined ? await this.#namesOf(ref) : [object];
    let isThere = object === undefined;
    for (const name of names) {
      const bytes = await objects.get(keyOf(name), object?.digest);
      if (bytes === undefined) continue;
      if (object !== undefined && digestOf(bytes) !== object.digest) await id.prove(object.store, true);
      await objects.put(quarantineKeyOf(name), bytes, digestOf(bytes));
      isThere = true;
    }
    if (object !== undefined && !isThere) {
      await id.prove(object.store);
      return undefined;
    }
    const place = await inner.quarantine(ref);
    await givenUp.add({ ref, object, isErased: false });
    return place;
  }

  listQuarantine(): AsyncIterable<QuarantinedBlob> {
    return this.#parts.inner.listQuarantine();
  }

  async *list(onUnreadable?: (place: UnreadablePlace) => void): AsyncGenerator<BlobInfo> {
    const { inner, id } = this.#parts;
    for await (const info of inner.list(onUnreadable)) {
      if (id.isPlace(info.ref)) continue;
      yield { ref: info.ref, sizeBytes: (await this.#sizeOf(info.ref)) ?? info.sizeBytes };
    }
  }

  /** Also deletes the objects that interrupted puts and removals left. */
  async removeAbandoned(): Promise<number> {
    const { inner, objects, id } = this.#parts;
    const ofInner = await inner.removeAbandoned();
    const store = await id.find();
    if (store === undefined) return ofInner;
    const begun = performance.now();
    const refs = new Map<string, BlobRef>();
    // Rejects when a place is unreadable: a blob that is not listed would lose its object.
    for await (const { ref } of inner.list()) refs.set(folderOf(ref), ref);
    const abandoned: string[] = [];
    for await (const { folder, keys } of this.#oldObjects(store, begun)) {
      const ref = refs.get(folder);
      const named = ref === undefined ? undefined : await this.#objectOf(ref);
      // A damaged pointer may name any of them.
      if (ref === undefined || named !== undefined) abandoned.push(...keys.filter((key) => named === undefined || key !== keyOf(named)));
    }
    await objects.delete(abandoned);
    return ofInner + abandoned.length;
  }

  /** Lists the objects of each ref that were older than any put under way when the call began. */
  async *#oldObjects(store: string, begun: number): AsyncGenerator<{ readonly folder: string; readonly keys: readonly string[] }> {
    const { objects, graceMs } = this.#parts;
    const root = keyOf({ store, name: "" });
    let [folder, keys]: [string, string[]] = ["", []];
    for await (const { key, ageMs } of objects.list(root)) {
      if (ageMs - (performance.now() - begun) < graceMs) continue;
      const [found = ""] = key.slice(root.length).split("/");
      if (found !== folder && keys.length > 0) yield { folder, keys };
      if (found !== folder) [folder, keys] = [found, []];
      keys.push(key);
    }
    if (keys.length > 0) yield { folder, keys };
  }

  /** Names of all objects in the folder of a ref. */
  async #namesOf(ref: BlobRef): Promise<readonly Pick<StoredObject, "store" | "name">[]> {
    const store = await this.#parts.id.find();
    if (store === undefined) return [];
    const found = [];
    const root = keyOf({ store, name: "" });
    for await (const { key } of this.#parts.objects.list(`${root}${folderOf(ref)}/`)) found.push({ store, name: key.slice(root.length) });
    return found;
  }

  /** `undefined` when the pointer cannot be read now. */
  async #sizeOf(ref: BlobRef): Promise<number | undefined> {
    try {
      return (await this.#objectOf(ref))?.sizeBytes;
    } catch (error) {
      if (!isFaultOfOneFile(error)) throw error;
      return undefined;
    }
  }

  async #store(ref: BlobRef, bytes: Uint8Array): Promise<NewObject> {
    const stored = newObject(await this.#parts.id.make(), ref, bytes);
    const [wall, monotonic] = [Date.now(), performance.now()];
    await this.#parts.objects.put(keyOf(stored), bytes, stored.digest);
    return { stored, wall, monotonic };
  }

  /**
   * True when naming an object took so long that a collection may have taken it for an abandoned one. The monotonic clock stands still
   * while the machine sleeps, and the other one can be set back.
   */
  #isLate({ wall, monotonic }: NewObject): boolean {
    return Math.max(Date.now() - wall, performance.now() - monotonic) > this.#parts.graceMs / 2;
  }

  /** Finds the objects that blobs are about to give up. */
  async #givenUp(refs: readonly BlobRef[], isErased: boolean): Promise<readonly GivenUp[]> {
    const found = [];
    for (const ref of refs) found.push({ ref, object: await this.#objectOf(ref), isErased });
    return found;
  }

  async #objectOf(ref: BlobRef): Promise<StoredObject | undefined> {
    const stored = await this.#parts.inner.get(ref);
    return stored === undefined ? undefined : pointedTo(stored);
  }

  /** Reads an object. Bytes that are damaged in the bucket itself are replaced by such that no codec reads. */
  async #read(object: StoredObject): Promise<Uint8Array | undefined> {
    const bytes = await this.#parts.objects.get(keyOf(object), object.digest);
    if (bytes === undefined || digestOf(bytes) === object.digest) return bytes;
    await this.#parts.id.prove(object.store, true);
    const again = await this.#parts.objects.get(keyOf(object), object.digest);
    return again === undefined || digestOf(again) === object.digest ? again : noBlob(again);
  }
}

function noBlob(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(NO_BLOB, ...bytes.subarray(0, 64));
}
