import { randomBytes, randomUUID } from "node:crypto";
import { credentialsFromEnvironment, readS3Place, withBlobsInS3 } from "@workrail/blobs-s3";
import { noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { migrate, openPostgres } from "@workrail/postgres";
import { S3Server } from "@workrail/s3-server";
import { describeBlobStore, describeCompaction } from "@workrail/storage-conformance";
import type { StorageHarness } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkrail } from "../src/open-workrail.ts";
import type { Workrail } from "../src/workrail.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

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
  // Over PostgreSQL alone, and over objects alone, the same tests always run.
  if (IS_LONG) describeCompaction(harness);

  it("is opened by the settings `store` and `blobs`", async () => {
    const env = { ...bucket.environment, WORKRAIL_STORE: database.url(), WORKRAIL_BLOBS: addressOf("settings") };
    await using workrail = await openWorkrail({ env, project: null });
    const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "s", context: { step: 1 } });
    expect((await workrail.loadCheckpoint({ checkpointId })).context).toEqual({ step: 1 });
    expect(await workrail.storeStatus()).toMatchObject({ mode: "postgres, blobs in S3", durability: "disk" });
    expect(bucket.objects.list("settings/").filter(([key]) => key.includes("/blobs/"))).toHaveLength(1);
  });

  it("compacts a session while it is saved to, and loads each checkpoint, also after a rebuild", async () => {
    const env = { ...bucket.environment, WORKRAIL_STORE: database.url(), WORKRAIL_BLOBS: addressOf("settings") };
    const text = randomBytes(3_000).toString("base64");
    const ids: string[] = [];
    const save = async (workrail: Workrail): Promise<void> => {
      const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "compacted", context: { step: ids.length, text } });
      ids.push(checkpointId);
    };
    const stepsIn = (workrail: Workrail): Promise<readonly unknown[]> =>
      Promise.all(ids.map(async (checkpointId) => (await workrail.loadCheckpoint({ checkpointId })).context["step"]));
    const first = await openWorkrail({ env, project: null });
    for (let step = 0; step < 6; step++) await save(first);
    // Compacts.
    const closing = first.close();
    await using workrail = await openWorkrail({ env, project: null });
    for (let step = 6; step < 9; step++) await save(workrail);
    await closing;
    const sizes = bucket.objects.list("settings/").flatMap(([, { bytes }]) => (bytes === undefined ? [] : [bytes.length]));
    expect(sizes.filter((size) => size > text.length / 2).length).toBeLessThan(ids.length);
    expect(await stepsIn(workrail)).toEqual([...ids.keys()]);
    await workrail.rebuildCatalog();
    expect(await stepsIn(workrail)).toEqual([...ids.keys()]);
    expect((await workrail.verifyStore()).findings).toEqual([]);
  });
});
