import { type CheckpointRecord, isWorkrailError, type Storage } from "@workrail/core";
import { MemoryDisk, openMemoryStorage } from "@workrail/memory";
import { S3Server, SERVER_FAULTS, type ServerFault } from "@workrail/s3-server";
import { aRecord } from "@workrail/storage-conformance/builders";
import { randomIds, type StorageInUse, storageInUse, tally } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { credentialsFromEnvironment, readS3Place, withBlobsInS3 } from "../src/index.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

/** Steps of a scene, of which the first are saves. */
const [STEPS, SAVES] = [5, 2];
const HOUR = 3_600_000;
const STRIDE = IS_LONG ? 1 : 2;

let server: S3Server;
beforeAll(async () => {
  server = await S3Server.start();
});
afterAll(() => server.close());

/** A store whose blobs are in the bucket of the test server, used until a step is refused. */
class Scene {
  readonly #disk = new MemoryDisk();
  readonly #prefix = randomIds.sessionId();
  readonly #session = randomIds.sessionId();
  readonly #saved: { readonly record: CheckpointRecord; readonly texts: string[] }[] = [];
  #storage: StorageInUse;

  /** @param timeoutMs short only where requests are not answered. */
  constructor(tries: number, timeoutMs: number) {
    this.#storage = this.#open(tries, timeoutMs);
  }

  /** Carries out the steps up to the first that is refused. Returns the number of those that were done. */
  async run(): Promise<number> {
    const steps = [() => this.#save("one"), () => this.#save("two"), () => this.#changeForm(), () => this.#remove(), () => this.#collect()];
    for (const [done, step] of steps.entries()) {
      try {
        await step();
      } catch (error) {
        if (!isWorkrailError(error) || error.code !== "STORAGE_UNAVAILABLE") throw error;
        return done;
      }
    }
    return steps.length;
  }

  /** Opens the store anew and reads everything. Returns what is wrong. */
  async prove() {
    this.#storage = this.#open(3, 60_000);
    server.objects.age(2 * HOUR);
    await this.#collect();
    const { records } = await this.#storage.catalog.list({ filter: {}, limit: 100, offset: 0 });
    const rows = new Map(records.map((record) => [record.id, record]));
    const lost = this.#saved.filter(({ record }) => !rows.has(record.id)).length;
    let [dangling, wrong] = [0, 0];
    for (const { id, blob } of rows.values()) {
      const bytes = await this.#storage.blobs.get(blob);
      const texts = this.#saved.find(({ record }) => record.id === id)?.texts;
      if (bytes === undefined) dangling += 1;
      else if (texts?.includes(new TextDecoder().decode(bytes)) === false) wrong += 1;
    }
    const objects = server.objects.list(`${this.#prefix}/`).filter(([key]) => key.includes("/blobs/")).length;
    return { lost, dangling, wrong, rows: rows.size, objects };
  }

  async #save(text: string): Promise<void> {
    const id = randomIds.checkpointId();
    const bytes = new TextEncoder().encode(text);
    const blob = await this.#storage.blobs.put({ sessionId: this.#session, checkpointId: id }, bytes);
    if (blob === undefined) throw new Error("There was a blob already.");
    const record = aRecord({ id, sessionId: this.#session, blob, blobBytes: bytes.length });
    const append = { record, unlessHeadIs: undefined, expectedHead: undefined, keepNewest: undefined };
    const outcome = await this.#storage.catalog.commit({ append, audit: [] });
    if (outcome.status !== "committed" || outcome.record === undefined) throw new Error("The save was not committed.");
    this.#saved.push({ record: outcome.record, texts: [text] });
  }

  async #changeForm(): Promise<void> {
    const [{ record, texts } = never()] = this.#saved;
    texts.push("one in another form");
    const bytes = new TextEncoder().encode("one in another form");
    const becomes = { blobBytes: bytes.length, baseId: null, keyId: null };
    await this.#storage.catalog.replaceBlob(record, becomes, () => this.#storage.blobs.replace(record.blob, bytes));
  }

  /** Removes a blob that a save left without a record. */
  async #remove(): Promise<void> {
    const { blobs, catalog } = this.#storage;
    const ref = await blobs.put({ sessionId: this.#session, checkpointId: randomIds.checkpointId() }, new Uint8Array(3));
    await catalog.reclaim(ref === undefined ? [] : [ref], (each) => blobs.remove(each));
  }

  async #collect(): Promise<void> {
    await this.#storage.blobs.removeAbandoned();
  }

  #open(tries: number, timeoutMs: number): StorageInUse {
    const place = readS3Place(`s3://${server.bucket}/${this.#prefix}?endpoint=${server.endpoint}`, server.environment, "WORKRAIL_BLOBS");
    const credentials = credentialsFromEnvironment(server.environment);
    const storage: Storage = openMemoryStorage({ disk: this.#disk });
    return storageInUse(withBlobsInS3(storage, { place, credentials: () => credentials, tries, firstWaitMs: 1, timeoutMs }));
  }
}

function never(): never {
  throw new Error("Nothing was saved.");
}

/**
 * Strikes one request after the other, until none is left. Outside of the long form strikes every second one, and starts with the second
 * for half of the faults, as long as they pass, and for the others, when they last. Returns the faults after each.
 */
async function sweep(fault: ServerFault, isLasting: boolean): Promise<readonly object[]> {
  const faults: object[] = [];
  let isStruck = true;
  const skipped = (FAULTS.indexOf(fault) + Number(isLasting)) % STRIDE;
  for (let at = 1 + skipped; isStruck; at += STRIDE) {
    const scene = new Scene(isLasting ? 2 : 3, fault === "silence" ? 6_000 : 60_000);
    let requests = 0;
    server.fault = () => {
      requests += 1;
      return requests === at || (isLasting && requests > at) ? fault : undefined;
    };
    const done = await scene.run();
    server.fault = undefined;
    isStruck = requests >= at;
    const { rows, objects, lost, wrong, dangling } = await scene.prove();
    tally({ tries: 1, acknowledged: Math.min(done, SAVES), lost, wrong, dangling });
    // A fault that passes is not even noticed.
    const refused = isLasting ? 0 : STEPS - done;
    // After any fault, a collection leaves one object for each row.
    const needless = objects - rows;
    if ([lost, wrong, dangling, refused, needless].some((count) => count !== 0))
      faults.push({ at, lost, wrong, dangling, refused, needless });
  }
  return faults;
}

/** Waiting for answers takes long, and is left to `npm run test:faults`. */
const FAULTS = SERVER_FAULTS.filter((fault) => fault !== "silence" || IS_LONG);

describe.each(FAULTS)("the fault %s at each request", (fault) => {
  it("is passed over when it passes: nothing is lost", async () => {
    expect(await sweep(fault, false)).toEqual([]);
  });

  it("refuses the work when it lasts: nothing is lost, and no row is without its blob", async () => {
    expect(await sweep(fault, true)).toEqual([]);
  });
});
