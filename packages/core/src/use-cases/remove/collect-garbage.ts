import { decodeBlob } from "../../envelope/envelope.ts";
import type { BlobRef } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import type { BlobStore } from "../../ports/blob-store.ts";
import { reclaimBlobs, type RemoveBlobs } from "../../catalog/rules/reclaim.ts";
import type { Codec } from "../../ports/codec.ts";
import type { Digester } from "../../ports/environment.ts";
import type { Locking } from "../../ports/locking.ts";
import { getBlob, isItsOwnFault, isUnreadableBlob } from "../load/get-blob.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";

export interface GarbagePorts {
  readonly catalog: CatalogPort;
  readonly blobs: BlobStore;
  readonly locking: Locking;
  readonly codec: Codec;
  readonly digests: Digester;
  readonly limits: Pick<Limits, "maxContextBytes">;
}

export interface GarbageReport {
  /** Removed blobs that no checkpoint needs. */
  readonly blobs: number;
  /**
   * Quarantined blobs: they belong to no checkpoint and cannot be read, because they are damaged, of a newer version, or deltas of
   * a missing base.
   */
  readonly quarantined: number;
  /**
   * Blobs and directories of blobs that the system could not read. This proves nothing, so they were not changed. Absent when
   * there are none.
   */
  readonly unreadable?: number;
  /** Removed unfinished writes of ended processes. */
  readonly abandoned: number;
}

/** Refs checked under one write lock: few enough that a waiting save hardly notices. */
const BATCH = 100;

/**
 * Removes blobs that belong to no checkpoint, and files of interrupted writes. Safe with concurrent writers: each blob is checked again
 * while commits are blocked. An unreadable blob goes into quarantine instead, because its content is unknown.
 */
export async function collectGarbage(ports: GarbagePorts): Promise<GarbageReport> {
  return ports.locking.shared(async () => {
    const abandoned = await ports.blobs.removeAbandoned();
    let blobs = (await finish(ports)).length;
    let quarantined = 0;
    const unreadable = new Set<BlobRef>();
    const discard: RemoveBlobs = async (refs, toBeErased) => {
      const readable: BlobRef[] = [];
      for (const ref of refs.filter((each) => !toBeErased.has(each))) {
        const isWhole = await isReadable(ports, ref);
        if (isWhole === undefined) unreadable.add(ref);
        else if (isWhole) readable.push(ref);
        else if ((await ports.blobs.quarantine(ref)) !== undefined) quarantined += 1;
      }
      await removeBlobs(ports)([...readable, ...refs.filter((each) => toBeErased.has(each))], toBeErased);
    };
    const reclaim = async (refs: readonly BlobRef[]): Promise<void> => {
      const before = quarantined + unreadable.size;
      const discarded = await reclaimBlobs(ports.catalog, refs, discard);
      blobs += discarded.length - (quarantined + unreadable.size - before);
    };
    let batch: BlobRef[] = [];
    for await (const { ref } of ports.blobs.list((place) => unreadable.add(place.ref))) {
      batch.push(ref);
      if (batch.length < BATCH) continue;
      await reclaim(batch);
      batch = [];
    }
    if (batch.length > 0) await reclaim(batch);
    return { blobs, quarantined, ...(unreadable.size === 0 ? {} : { unreadable: unreadable.size }), abandoned };
  });
}

/** Finishes removals that were committed but not carried out. Cheap enough for every start. */
export async function finishRemovals(
  ports: Pick<GarbagePorts, "catalog" | "blobs" | "locking">,
  onRemoved?: (removals: number) => void,
): Promise<number> {
  return ports.locking.shared(async () => (await finish(ports, onRemoved)).length);
}

/** Removes deliberately removed blobs, readable or not. */
function finish(ports: Pick<GarbagePorts, "catalog" | "blobs">, onRemoved?: (removals: number) => void): Promise<readonly BlobRef[]> {
  const remove = removeBlobs(ports);
  let removals = 0;
  return reclaimBlobs(ports.catalog, undefined, async (refs, toBeErased) => {
    await remove(refs, toBeErased);
    onRemoved?.((removals += refs.length));
  });
}

/** Returns the function with which `reclaim` removes unwanted blobs. */
export function removeBlobs({ blobs }: { readonly blobs: Pick<BlobStore, "remove" | "erase"> }): RemoveBlobs {
  return async (refs, toBeErased) => {
    const [erased, removed] = [refs.filter((ref) => toBeErased.has(ref)), refs.filter((ref) => !toBeErased.has(ref))];
    if (removed.length > 0) await blobs.remove(removed);
    if (erased.length > 0) await blobs.erase(erased);
  };
}

/**
 * Tells whether an unreferenced blob is a readable whole one; `undefined` when the system cannot read it now. A delta without a
 * record counts as unreadable: failed saves leave whole blobs, and only saved checkpoints become deltas. A rebuild skipped it
 * because its base was lost; it is readable again once the base is restored.
 */
async function isReadable(ports: GarbagePorts, ref: BlobRef): Promise<boolean | undefined> {
  try {
    const bytes = await getBlob(ports.blobs, ref);
    if (bytes === undefined) return true;
    return (await decodeBlob(ports, bytes)).kind === "whole";
  } catch (error) {
    if (!isItsOwnFault(error)) throw error;
    return isUnreadableBlob(error) ? undefined : false;
  }
}
