import { EVERYTHING, countOf, isWorkrailError, rewrite, type AuditDigest, type BlobRef, type Digester, type Storage } from "@workrail/core";
import { type Forms, openedBlob, plainBlob, rewritingTo } from "./forms.ts";
import { mixedStorage } from "./mixed-storage.ts";

export interface Conversion extends Forms {
  /** Time of the conversion for the audit log. */
  readonly at: Date;
  readonly digests: Digester;
  /** Rebuilds a lost or unreadable catalog. */
  readonly rebuild: (from: ReturnType<typeof mixedStorage>) => Promise<unknown>;
  /** Called after each blob. */
  readonly onProgress?: ((progress: ConversionProgress) => void) | undefined;
}

/** Number of blobs in the new form, and of all blobs. */
export interface ConversionProgress {
  readonly done: number;
  readonly total: number;
}

export interface ConversionReport {
  /** Blobs that are now in the new form. */
  readonly blobs: number;
  /** Blobs that cannot be opened. They stay as they are; for a new key, already sealed bytes are sealed once more. */
  readonly unreadable: readonly BlobRef[];
  /** Places of removed copies of the catalog that the storage had kept. */
  readonly removedCopies: readonly string[];
}

/**
 * Converts all data of a store to another form: sealed, unencrypted, or sealed by another sealer. An interrupted conversion is
 * repeated from the start; the store cannot be used until then. Called with the store locked exclusively.
 *
 * @throws STORAGE_UNAVAILABLE when the conversion cannot be finished; KEY_UNAVAILABLE.
 */
export async function convertStore(storage: Storage, conversion: Conversion): Promise<ConversionReport> {
  const { catalog, recovery } = storage;
  const digest: AuditDigest = (text) => conversion.digests.sha256(text);
  // A rebuilt catalog gets the new form.
  const rebuild = (): Promise<unknown> => conversion.rebuild(mixedStorage(storage, conversion, digest));
  if ((await recovery.state()) === "lost") await rebuild();
  await storage.search?.erase();
  await storage.vectors?.erase();
  const report = await convertBlobs(storage, conversion);
  try {
    const rewriting = rewritingTo(conversion, conversion.at);
    await recovery.replaceAll(rewrite(await catalog.read(EVERYTHING), rewriting, digest), "erased");
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

/** Returns the replacement of a blob; none when the blob is already converted or cannot be opened. */
async function convertBlob(
  forms: Forms,
  ref: BlobRef,
  bytes: Uint8Array,
): Promise<{ readonly becomes?: Uint8Array | undefined; readonly isReadable: boolean }> {
  if (await isConverted(forms, ref, bytes)) return { isReadable: true };
  const { from, to } = forms;
  const plain = await plainBlob(forms, ref, bytes);
  if (plain !== undefined) return { becomes: to === undefined ? plain : await to.sealBlob(ref, plain), isReadable: true };
  // The old key must not open parts of a damaged blob either.
  const isSealedOnce = to !== undefined && from?.isSealed(bytes) === true;
  return { becomes: isSealedOnce ? await to.sealBlob(ref, bytes) : undefined, isReadable: false };
}

async function isConverted({ from, to }: Forms, ref: BlobRef, bytes: Uint8Array): Promise<boolean> {
  if (to === undefined) return from?.isSealed(bytes) === false;
  // Among unencrypted blobs, only blobs of this sealer look sealed; damaged ones stay as they are.
  if (from === undefined) return to.isSealed(bytes);
  return to.isSealed(bytes) && (await openedBlob(to, ref, bytes)) !== undefined;
}
