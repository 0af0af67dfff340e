import { randomUUID } from "node:crypto";
import { credentialsFromEnvironment, readS3Place, withBlobsInS3 } from "@workrail/blobs-s3";
import { noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { migrate, openPostgres } from "@workrail/postgres";
import { S3Server } from "@workrail/s3-server";
import { describeBlobStore, describeCompaction } from "@workrail/storage-conformance";
import type { StorageHarness } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkrail } from "../src/open-workrail.ts";

const missing = noPostgres();

describe.skipIf(missing !== undefined)(`PostgreSQL with blobs in S3${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let database: PostgresServer;
  let bucket: S3Server;

  beforeAll(async () => {
    database = await startPostgres({ isDurable: false });
    bucket = await S3Server.start();
    await migrate(database.url());
  });
  afterAll(async () => {
    await bucket.close();
    await database.destroy();
  });

  const addressOf = (prefix: string): string => `s3://${bucket.bucket}/${prefix}?endpoint=${bucket.endpoint}`;

  /** Stores in one database and one bucket, each the store of another tenant. */
  const harness: StorageHarness = {
    name: "PostgreSQL, blobs in S3",
    capabilities: { persistent: true, manyOpeners: true, seesBlobs: true },
    create: async () => randomUUID(),
    async open(tenant) {
      const credentials = credentialsFromEnvironment(bucket.environment);
      const place = readS3Place(addressOf(tenant), bucket.environment, "WORKRAIL_BLOBS");
      const storage = await openPostgres({ url: database.url(), tenant, leaseMs: 2_000 });
      return withBlobsInS3(storage, { place, credentials: () => credentials, firstWaitMs: 1 });
    },
    destroy: async () => undefined,
  };

  describeBlobStore(harness);
  describeCompaction(harness);

  it("is opened by the settings `store` and `blobs`", async () => {
    const env = { ...bucket.environment, WORKRAIL_STORE: database.url(), WORKRAIL_BLOBS: addressOf("settings") };
    await using workrail = await openWorkrail({ env, project: null });
    const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "s", context: { step: 1 } });
    expect((await workrail.loadCheckpoint({ checkpointId })).context).toEqual({ step: 1 });
    expect(await workrail.storeStatus()).toMatchObject({ mode: "postgres, blobs in S3", durability: "disk" });
    expect(bucket.objects.list("settings/").filter(([key]) => key.includes("/blobs/"))).toHaveLength(1);
  });
});
