import type { Storage } from "@workrail/core";
import type { BlobsSettings } from "./settings.ts";

/** Name of the setting in the environment, for errors. */
const FIELD = "WORKRAIL_BLOBS";

/**
 * Returns the wrapper that keeps the bytes of a storage's checkpoints in object storage, or nothing to wrap without the setting. Loaded
 * on demand: seldom used.
 *
 * @throws INVALID_INPUT for a wrong address or missing credentials.
 */
export async function wrapperForBlobs(blobs: BlobsSettings | undefined): Promise<(storage: Storage) => Storage> {
  if (blobs === undefined) return (storage) => storage;
  const { address, environment } = blobs;
  const { credentialsFromEnvironment, readS3Place, withBlobsInS3 } = await import("@workrail/blobs-s3");
  const place = readS3Place(address, environment, FIELD);
  // Read each time: credentials can be renewed while a store is open.
  const credentials = () => credentialsFromEnvironment(environment);
  credentials();
  return (storage) => withBlobsInS3(storage, { place, credentials });
}
