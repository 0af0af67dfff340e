import { isFaultOfOneFile, isWorkrailError, type WorkrailError } from "../../errors.ts";
import type { BlobRef } from "../../model/ids.ts";
import type { BlobStore } from "../../ports/blob-store.ts";

/** Errors that concern a single blob. The catalog can fail for the same reasons, but then nothing works. */
const ofOneBlob = new WeakSet<WorkrailError>();

/** Reads a blob for work that continues when this one is unreadable: check errors with `isUnreadableBlob`. */
export async function getBlob(blobs: Pick<BlobStore, "get">, ref: BlobRef): Promise<Uint8Array | undefined> {
  try {
    return await blobs.get(ref);
  } catch (error) {
    if (isFaultOfOneFile(error) || isWithoutKey(error)) ofOneBlob.add(error);
    throw error;
  }
}

/** In an open store only the key of a session can be missing. */
function isWithoutKey(error: unknown): error is WorkrailError {
  return isWorkrailError(error) && error.code === "KEY_UNAVAILABLE";
}

/** True when the storage could not read a single blob. This proves no damage and may pass: the blob must stay as it is. */
export function isUnreadableBlob(error: unknown): boolean {
  return isWorkrailError(error) && ofOneBlob.has(error);
}

/** True when the error concerns one checkpoint only, so that others can be read. */
export function isItsOwnFault(error: unknown): error is WorkrailError {
  return isWorkrailError(error) && (error.code !== "STORAGE_UNAVAILABLE" || ofOneBlob.has(error));
}

/** Codes that prove that a checkpoint is unreadable. A missing checkpoint proves nothing. */
const ITS_OWN_CODES = new Set<string>(["CHECKPOINT_CORRUPT", "UNSUPPORTED_VERSION", "TOO_LARGE"]);

/** True when a checkpoint exists but is itself unreadable: it is listed, and work continues with others. */
export function isToBeNamed(error: unknown): error is WorkrailError {
  return isWorkrailError(error) && (ofOneBlob.has(error) || ITS_OWN_CODES.has(error.code));
}

/** Returns the reason why a blob could not be read, for people. */
export function whyUnreadable({ message, details }: WorkrailError): string {
  const known = [details["code"], details["path"]].filter((each) => typeof each === "string");
  return `It cannot be read: ${known.length === 0 ? message : known.join(", ")}`;
}

/** Fewer unreadable blobs say nothing about the disk. */
const FEW = 3;

/** @throws the first failure when there are many and nothing could be read: then the fault is not in single files. */
export function refuseWhenNothingIsRead(read: number, failures: readonly WorkrailError[]): void {
  if (read === 0 && failures.length > FEW) throw failures[0] as WorkrailError;
}
