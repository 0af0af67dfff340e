// A process that saves, and is killed meanwhile. Tells each save that was acknowledged.
import { aRecord } from "@workrail/storage-conformance/builders";
import { randomIds, storageInUse } from "@workrail/storage-conformance/harness";
import { harness } from "./s3-harness.ts";

const storage = storageInUse(await harness.open(process.argv[2] ?? ""));
const sessionId = randomIds.sessionId();
for (let step = 0; step < 3; step++) {
  const id = randomIds.checkpointId();
  const bytes = new TextEncoder().encode(`blob of ${id}`);
  const blob = await storage.blobs.put({ sessionId, checkpointId: id }, bytes);
  if (blob === undefined) throw new Error("There was a blob already.");
  const record = aRecord({ id, sessionId, blob, blobBytes: bytes.length });
  const { status } = await storage.catalog.commit({
    append: { record, unlessHeadIs: undefined, expectedHead: undefined, keepNewest: undefined },
    audit: [],
  });
  if (status === "committed") process.stdout.write(`${id}\n`);
}
await storage.close();
