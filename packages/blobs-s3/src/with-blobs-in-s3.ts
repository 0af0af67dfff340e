import type { Storage } from "@workrail/core";
import { GivenUpObjects } from "./given-up-objects.ts";
import { S3BlobStore } from "./s3-blob-store.ts";
import type { GetCredentials } from "./s3-credentials.ts";
import { S3Objects } from "./s3-objects.ts";
import type { S3Place } from "./s3-place.ts";
import { S3Requests } from "./s3-requests.ts";
import { StoreId } from "./store-id.ts";

export interface BlobsInS3Options {
  readonly place: S3Place;
  readonly credentials: GetCredentials;
  /** Time limit in milliseconds for one request, with all its tries and waits. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Number of tries of a request, including the first. Default 5. */
  readonly tries?: number | undefined;
  /** Approximate wait before the second try, in milliseconds; it doubles before each further one. Default 100. */
  readonly firstWaitMs?: number | undefined;
  /**
   * Age in milliseconds from which a collection takes an object that no blob names for one that an interrupted save left. A save that
   * takes half as long writes its object again. Default an hour.
   */
  readonly graceMs?: number | undefined;
}

/**
 * Wraps a storage, so that the bytes of its blobs are in a bucket. The storage itself keeps a pointer of about 200 bytes for each. Never
 * removes an object before the change of the catalog that gives it up counts.
 */
export function withBlobsInS3(storage: Storage, options: BlobsInS3Options): Storage {
  const { place, graceMs = 3_600_000 } = options;
  const inner = storage.blobs;
  const objects = new S3Objects(new S3Requests(options), place.prefix);
  const id = new StoreId(inner, objects);
  const givenUp = new GivenUpObjects({ inner, objects, graceMs, id });
  return {
    ...storage,
    mode: `${storage.mode}, blobs in S3`,
    blobs: new S3BlobStore({ inner, objects, id, givenUp, graceMs }),
    catalog: {
      read: (reads) => storage.catalog.read(reads),
      change: (rule) => givenUp.after(() => storage.catalog.change(rule)),
    },
    purge: async () => [...(await givenUp.purge()), ...((await storage.purge?.()) ?? [])],
    close: () => storage.close(),
  };
}
