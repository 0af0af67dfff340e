import { isWorkrailError, WorkrailError } from "../errors.ts";
import type { BlobRef } from "../model/ids.ts";
import type { Storage } from "../ports/storage.ts";
import { auditDigestOf, type Forms, openedBlob, plainBlob, rewritingTo } from "../sealed/forms.ts";
import { mixedStorage } from "../sealed/mixed-storage.ts";
import { countOf } from "./count-of.ts";

export interface Conversion extends Forms {
  /** When it is done, for the audit log. */
  readonly at: Date;
  /** Makes the catalog anew of these, where it was lost, or cannot be read. */
  readonly rebuild: (from: ReturnType<typeof mixedStorage>) => Promise<unknown>;
  /** Told after each blob. */
  readonly onProgress?: ((progress: ConversionProgress) => void) | undefined;
}

/** How many blobs are as they are wanted, of how many. */
export interface ConversionProgress {
  readonly done: number;
  readonly total: number;
}

export interface ConversionReport {
  /** Blobs that are now as they are wanted. */
  readonly blobs: number;
  /** Blobs that cannot be opened. They stay as they are, but that the bytes of a sealed one are sealed once more where another key is to seal all. */
  readonly unreadable: readonly BlobRef[];
  /** Where copies of the catalog were that the storage kept by itself, and that are gone now. */
  readonly removedCopies: readonly string[];
}

/**
 * Has all that a store keeps be in another form: sealed, in clear, or sealed by another sealer. It may be interrupted at any moment, and done
 * again from the start: whoever uses the store in between cannot, and must finish it first. Called with the store locked exclusively.
 *
 * @throws STORAGE_UNAVAILABLE when it cannot be finished; KEY_UNAVAILABLE.
 */
export async function convertStore(storage: Storage, conversion: Conversion): Promise<ConversionReport> {
  if (storage.recovery.rewrite === undefined) throw new WorkrailError("INVALID_INPUT", "This storage cannot be sealed.");
  const rebuild = (): Promise<unknown> => conversion.rebuild(mixedStorage(storage, conversion));
  // One that is made anew is so in its new form.
  storage.recovery.chainBy?.(auditDigestOf(conversion.to));
  if (await storage.recovery.needsRebuild()) await rebuild();
  await storage.search?.erase();
  await storage.vectors?.erase();
  const report = await convertBlobs(storage, conversion);
  try {
    await storage.recovery.rewrite(rewritingTo(conversion, conversion.at));
  } catch (error) {
    if (!isWorkrailError(error) || error.code !== "CHECKPOINT_CORRUPT") throw error;
    await rebuild();
  }
  return { ...report, removedCopies: (await storage.remains?.removeCatalogCopies()) ?? [] };
}

async function convertBlobs(storage: Storage, { onProgress, ...forms }: Conversion): Promise<Omit<ConversionReport, "removedCopies">> {
  const total = onProgress === undefined ? 0 : await countOf(storage.blobs.list());
  const unreadable: BlobRef[] = [];
  let blobs = 0;
  for await (const { ref } of storage.blobs.list()) {
    const bytes = await storage.blobs.get(ref);
    if (bytes === undefined) continue;
    const { becomes, isReadable } = await convertBlob(forms, ref, bytes);
    if (becomes !== undefined) await storage.blobs.replace(ref, becomes);
    if (!isReadable) unreadable.push(ref);
    blobs += 1;
    onProgress?.({ done: blobs, total: Math.max(total, blobs) });
  }
  return { blobs: blobs - unreadable.length, unreadable };
}

/** What takes the place of a blob; nothing, where it is as it should be or cannot be opened. */
async function convertBlob(
  forms: Forms,
  ref: BlobRef,
  bytes: Uint8Array,
): Promise<{ readonly becomes?: Uint8Array | undefined; readonly isReadable: boolean }> {
  if (await isConverted(forms, ref, bytes)) return { isReadable: true };
  const { from, to } = forms;
  const plain = await plainBlob(forms, ref, bytes);
  if (plain !== undefined) return { becomes: to === undefined ? plain : await to.sealBlob(ref, plain), isReadable: true };
  // An old key must not open what can be made out of a damaged one either.
  const isSealedOnce = to !== undefined && from?.isSealed(bytes) === true;
  return { becomes: isSealedOnce ? await to.sealBlob(ref, bytes) : undefined, isReadable: false };
}

async function isConverted({ from, to }: Forms, ref: BlobRef, bytes: Uint8Array): Promise<boolean> {
  if (to === undefined) return from?.isSealed(bytes) === false;
  // Among what is in clear only the one sealer's look sealed, and the damaged ones of them stay as they are.
  if (from === undefined) return to.isSealed(bytes);
  return to.isSealed(bytes) && (await openedBlob(to, ref, bytes)) !== undefined;
}
