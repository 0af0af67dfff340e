import { WorkrailError } from "./errors.ts";
import { encodeUtf8 } from "./json/utf8.ts";

/** First characters of a pointer: it stands in a blob store in the place of a blob whose bytes are in object storage. */
export const OBJECT_POINTER = "workrail-object/1 ";

const FIRST = encodeUtf8(OBJECT_POINTER);

/** True when bytes are a pointer, whole or damaged. No codec and no sealer writes such bytes. */
export function isObjectPointer(bytes: Uint8Array): boolean {
  return bytes.length >= FIRST.length && FIRST.every((byte, index) => bytes[index] === byte);
}

/**
 * Refuses a pointer in the place of a blob: the store was opened without its object storage.
 *
 * @throws STORAGE_UNAVAILABLE
 */
export function refuseObjectPointer(bytes: Uint8Array): void {
  if (!isObjectPointer(bytes)) return;
  throw new WorkrailError("STORAGE_UNAVAILABLE", "The checkpoints of this store are in object storage, and WORKRAIL_BLOBS is not set.", {
    details: { reason: "object-storage-not-set" },
    hint: "Set WORKRAIL_BLOBS to the address of that object storage.",
  });
}
