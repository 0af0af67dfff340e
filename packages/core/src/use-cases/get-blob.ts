import { isWorkrailError, type WorkrailError } from "../errors.ts";
import { isFaultOfOneFile } from "../fault-of-one-file.ts";
import type { BlobRef } from "../model/ids.ts";
import type { BlobStore } from "../ports/blob-store.ts";

/** Failures of blobs that others need not share. The catalog can fail for the same reasons, and then nothing works. */
const ofOneBlob = new WeakSet<WorkrailError>();

/** A blob's bytes, for work that goes on with others where this one cannot be read: `isUnreadableBlob` tells. */
export async function getBlob(blobs: Pick<BlobStore, "get">, ref: BlobRef): Promise<Uint8Array | undefined> {
  try {
    return await blobs.get(ref);
  } catch (error) {
    if (isFaultOfOneFile(error)) ofOneBlob.add(error);
    throw error;
  }
}

/** Whether the storage could not read one blob. That proves no damage, and may pass: the blob must be left as it is. */
export function isUnreadableBlob(error: unknown): boolean {
  return isWorkrailError(error) && ofOneBlob.has(error);
}

/** Whether a checkpoint cannot be read for what it is itself, and others can. */
export function isItsOwnFault(error: unknown): error is WorkrailError {
  return isWorkrailError(error) && (error.code !== "STORAGE_UNAVAILABLE" || ofOneBlob.has(error));
}

/** What proves of one checkpoint that it cannot be read. That it is gone proves nothing. */
const ITS_OWN_CODES = new Set<string>(["CHECKPOINT_CORRUPT", "UNSUPPORTED_VERSION", "TOO_LARGE"]);

/** Whether a checkpoint is there, and cannot be read for what it is itself: it is named, and others go on. */
export function isToBeNamed(error: unknown): error is WorkrailError {
  return isWorkrailError(error) && (ofOneBlob.has(error) || ITS_OWN_CODES.has(error.code));
}

/** For people: what kept a blob from being read. */
export function whyUnreadable({ message, details }: WorkrailError): string {
  const known = [details["code"], details["path"]].filter((each) => typeof each === "string");
  return `It cannot be read: ${known.length === 0 ? message : known.join(", ")}`;
}

/** Fewer that cannot be read say nothing of the disk. */
const FEW = 3;

/** @throws the first failure, where there are many and nothing could be read: that is no fault of single files. */
export function refuseWhenNothingIsRead(read: number, failures: readonly WorkrailError[]): void {
  if (read === 0 && failures.length > FEW) throw failures[0] as WorkrailError;
}
