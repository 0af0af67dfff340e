import { isWorkrailError, WorkrailError } from "../errors.ts";
import type { BlobRef } from "../model/ids.ts";
import type { Rewriting } from "../ports/catalog.ts";
import type { Sealer } from "../ports/sealer.ts";
import type { Storage } from "../ports/storage.ts";
import { mixedStorage } from "../sealed/mixed-storage.ts";
import { openEvent, openLabels, openRecord, sealEvent, sealLabels, sealRecord } from "../sealed/seal-record.ts";

export interface Conversion {
  readonly sealer: Sealer;
  /** Names the sealer's key: a whole number from 1. */
  readonly mark: number;
  readonly to: "sealed" | "clear";
  /** Makes the catalog anew of these, where it was lost before a conversion was finished. */
  readonly rebuild: (from: ReturnType<typeof mixedStorage>) => Promise<unknown>;
  /** Told after each blob. */
  readonly onProgress?: ((blobsDone: number) => void) | undefined;
}

export interface ConversionReport {
  /** Blobs that are now as they are wanted. */
  readonly blobs: number;
  /** Sealed blobs that cannot be opened; they stay as they are. */
  readonly unreadable: readonly BlobRef[];
}

/**
 * Seals all that a store keeps in clear, or the reverse. It may be interrupted at any moment, and done again from the start: whoever uses
 * the store in between cannot, and must finish it first. Called with the store locked exclusively.
 *
 * @throws STORAGE_UNAVAILABLE when it cannot be finished; KEY_UNAVAILABLE.
 */
export async function convertStore(storage: Storage, conversion: Conversion): Promise<ConversionReport> {
  if (storage.recovery.rewrite === undefined) throw new WorkrailError("INVALID_INPUT", "This storage cannot be sealed.");
  if (await storage.recovery.needsRebuild()) await conversion.rebuild(mixedStorage(storage, conversion.sealer));
  await storage.search?.erase();
  await storage.vectors?.erase();
  const report = await convertBlobs(storage, conversion);
  await storage.recovery.rewrite(rewritingOf(conversion));
  return report;
}

async function convertBlobs(storage: Storage, { sealer, to, onProgress = () => {} }: Conversion): Promise<ConversionReport> {
  const unreadable: BlobRef[] = [];
  let blobs = 0;
  for await (const { ref } of storage.blobs.list()) {
    const bytes = await storage.blobs.get(ref);
    if (bytes === undefined) continue;
    if (sealer.isSealed(bytes) !== (to === "sealed")) {
      const converted = to === "sealed" ? await sealer.sealBlob(ref, bytes) : await opened(sealer, ref, bytes);
      if (converted === undefined) unreadable.push(ref);
      else await storage.blobs.replace(ref, converted);
    }
    blobs += 1;
    onProgress(blobs);
  }
  return { blobs: blobs - unreadable.length, unreadable };
}

/** `undefined` for what is not what was sealed. */
async function opened(sealer: Sealer, ref: BlobRef, sealed: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return await sealer.openBlob(ref, sealed);
  } catch (error) {
    if (isWorkrailError(error) && error.code === "CHECKPOINT_CORRUPT") return undefined;
    throw error;
  }
}

function rewritingOf({ sealer, mark, to }: Conversion): Rewriting {
  if (to === "clear") {
    return {
      mark: 0,
      record: (record) => openRecord(sealer, record),
      labels: (labels) => openLabels(sealer, labels),
      event: (event) => openEvent(sealer, event),
    };
  }
  return {
    mark,
    record: (record) => sealRecord(sealer, record),
    labels: (labels) => sealLabels(sealer, labels),
    event: (event) => sealEvent(sealer, event),
  };
}
