import { AsyncLocalStorage } from "node:async_hooks";
import { type BlobRef, type BlobStore, isWorkrailError } from "@workrail/core";
import type { S3Objects } from "./s3-objects.ts";
import type { StoreId } from "./store-id.ts";
import { folderOf, keyOf, pointedTo, quarantineKeyOf, type StoredObject } from "./stored-object.ts";

/** Object that a blob names no more. */
export interface GivenUp {
  readonly ref: BlobRef;
  /** `undefined`: none is known, but an erasure looks for others. */
  readonly object: StoredObject | undefined;
  /** True when nothing of the blob may remain. */
  readonly isErased: boolean;
}

export interface GivenUpOptions {
  readonly inner: Pick<BlobStore, "get">;
  readonly objects: S3Objects;
  readonly id: Pick<StoreId, "find" | "isVersioned" | "recheck">;
  /** Age from which an object that no blob names is not the object of a put under way. */
  readonly graceMs: number;
}

const VERSIONS_LEFT =
  "The bucket keeps versions of erased objects. Allow the credentials s3:ListBucketVersions and s3:DeleteObjectVersion, or let a rule of the bucket delete old versions.";
const YOUNG_LEFT = "An object of an erased checkpoint may belong to a save under way. It is deleted when the erasure is finished later.";

/**
 * Deletes objects that blobs name no more, once the change that gave them up counts. Until then the change may be withdrawn, and its blobs
 * name them again. An object that cannot be deleted is left to the next collection; one of an erasure is tried again by `purge`.
 */
export class GivenUpObjects {
  readonly #options: GivenUpOptions;
  readonly #change = new AsyncLocalStorage<GivenUp[]>();
  /** Erased ones that are not deleted yet, with the reason. */
  readonly #left = new Map<GivenUp, string>();

  constructor(options: GivenUpOptions) {
    this.#options = options;
  }

  /** Runs a change, and then deletes the objects that it gave up. After a rejection its outcome is unknown. */
  async after<T>(change: () => Promise<T>): Promise<T> {
    const givenUp: GivenUp[] = [];
    try {
      const result = await this.#change.run(givenUp, change);
      await this.#settle(givenUp);
      return result;
    } finally {
      this.#options.id.recheck();
    }
  }

  /** Gives up objects: at the end of the change, or at once where there is none. */
  async add(...givenUp: readonly GivenUp[]): Promise<void> {
    const change = this.#change.getStore();
    if (change === undefined) await this.#settle(givenUp);
    else change.push(...givenUp);
  }

  /** Retries the unfinished deletions of erasures. Resolves to one sentence for each reason why something is still left. */
  async purge(): Promise<readonly string[]> {
    await this.#settle([...this.#left.keys()]);
    return [...new Set(this.#left.values())];
  }

  async #settle(givenUp: readonly GivenUp[]): Promise<void> {
    try {
      for (const each of givenUp.filter(({ isErased }) => isErased)) await this.#settleErased(each);
      const objects = givenUp
        .filter(({ isErased }) => !isErased)
        .flatMap(({ ref, object }) => (object === undefined ? [] : [{ ref, object }]));
      const needless = [];
      for (const each of objects) if (!(await this.#isNamed(each.ref, each.object))) needless.push(keyOf(each.object));
      if (needless.length > 0) await this.#options.objects.delete(needless);
    } catch (error) {
      // The next collection finds them.
      if (!isWorkrailError(error)) throw error;
    }
  }

  async #settleErased(givenUp: GivenUp): Promise<void> {
    try {
      const left = await this.#erase(givenUp);
      if (left === undefined) this.#left.delete(givenUp);
      else this.#left.set(givenUp, left);
    } catch (error) {
      if (!isWorkrailError(error)) throw error;
      this.#left.set(givenUp, error.message);
    }
  }

  /** Deletes all objects of a ref, with their copies in quarantine and their versions. Returns the reason why something is left. */
  async #erase({ ref, object }: GivenUp): Promise<string | undefined> {
    const { objects, id } = this.#options;
    const store = await id.find();
    if (store === undefined) return undefined;
    const folders = [keyOf, quarantineKeyOf].map((key) => `${key({ store, name: folderOf(ref) })}/`);
    const { needless, kept, isYoungLeft } = await this.#objectsOf(ref, object, folders);
    await objects.delete([...needless]);
    if (!(await id.isVersioned(store))) return isYoungLeft ? YOUNG_LEFT : undefined;
    try {
      for (const folder of folders) await objects.deleteVersions(folder, kept);
    } catch (error) {
      if (!isWorkrailError(error)) throw error;
      return VERSIONS_LEFT;
    }
    return isYoungLeft ? YOUNG_LEFT : undefined;
  }

  /** Sorts the objects in the folders of a ref. */
  async #objectsOf(ref: BlobRef, object: StoredObject | undefined, folders: readonly string[]) {
    const [needless, kept]: [Set<string>, Set<string>] = [new Set(), new Set()];
    let isYoungLeft = false;
    const named = await this.#nameOf(ref);
    if (object !== undefined && keyOf(object) !== named) needless.add(keyOf(object));
    for (const folder of folders) {
      for await (const { key, ageMs } of this.#options.objects.list(folder)) {
        const isKnown = folder !== folders[0] || needless.has(key);
        const isYoung = !isKnown && ageMs < this.#options.graceMs;
        if (key === named || isYoung) kept.add(key);
        else needless.add(key);
        isYoungLeft ||= isYoung && key !== named;
      }
    }
    return { needless, kept, isYoungLeft };
  }

  async #isNamed(ref: BlobRef, object: StoredObject): Promise<boolean> {
    return (await this.#nameOf(ref)) === keyOf(object);
  }

  /** Key of the object that a blob names now. */
  async #nameOf(ref: BlobRef): Promise<string | undefined> {
    const object = pointedTo((await this.#options.inner.get(ref)) ?? new Uint8Array());
    return object === undefined ? undefined : keyOf(object);
  }
}
