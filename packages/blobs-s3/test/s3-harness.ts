import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Storage } from "@workrail/core";
import { MemoryDisk, openMemoryStorage } from "@workrail/memory";
import { S3Server, type ServerFault } from "@workrail/s3-server";
import { openSqliteFs } from "@workrail/sqlite-fs";
import type { Faults, StorageHarness } from "@workrail/storage-conformance/harness";
import { type BlobsInS3Options, credentialsFromEnvironment, readS3Place, withBlobsInS3 } from "../src/index.ts";

let started: Promise<S3Server> | undefined;

/** The test server of this process. */
export function testServer(): Promise<S3Server> {
  started ??= S3Server.start().then((server) => server.unref());
  return started;
}

/** Place of a store: where its catalog is, and the address of its blobs with the credentials. */
interface Place {
  readonly catalog: string;
  /** First part of all keys. */
  readonly prefix: string;
  readonly address: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A real service to test with, and its bucket; credentials and region are in AWS's variables. */
const { WORKRAIL_S3_ENDPOINT: realEndpoint, WORKRAIL_S3_BUCKET: realBucket } = process.env;

async function newPlace(catalog: string): Promise<string> {
  const prefix = `workrail-test-${randomUUID()}`;
  if (realEndpoint !== undefined) {
    return JSON.stringify({
      catalog,
      prefix,
      address: `s3://${realBucket}/${prefix}?endpoint=${realEndpoint}`,
      environment: {},
    } satisfies Place);
  }
  const { endpoint, bucket, environment } = await testServer();
  return JSON.stringify({ catalog, prefix, address: `s3://${bucket}/${prefix}?endpoint=${endpoint}`, environment } satisfies Place);
}

/** Options for a place; a real endpoint gets its credentials from the environment of the tests. */
function optionsOf(place: Place, options: Partial<BlobsInS3Options> = {}): BlobsInS3Options {
  const environment = { ...process.env, ...place.environment };
  const credentials = credentialsFromEnvironment(environment);
  return { place: readS3Place(place.address, environment, "WORKRAIL_BLOBS"), credentials: () => credentials, firstWaitMs: 1, ...options };
}

/** The server's faults that implement those of the kit. */
export interface FaultPair {
  readonly fails: ServerFault;
  readonly failsAfter: ServerFault;
}

/** More than the age from which objects of interrupted saves are collected. */
const TWO_HOURS = 2 * 3_600_000;

function faultyOpening(open: (catalog: string) => Promise<Storage>, { fails, failsAfter }: FaultPair) {
  return async (text: string, faults: Faults): Promise<Storage> => {
    const place = JSON.parse(text) as Place;
    const server = await testServer();
    // Time passes while a store is closed.
    server.objects.age(TWO_HOURS);
    server.fault = () => {
      const plan = faults.strike(false);
      if (plan === undefined) return undefined;
      return plan.kind === "fails-after" ? failsAfter : fails;
    };
    // One try, so that each fault is felt.
    return withBlobsInS3(await open(place.catalog), optionsOf(place, { tries: 1 }));
  };
}

async function openPlace(text: string, open: (catalog: string) => Promise<Storage>): Promise<Storage> {
  const place = JSON.parse(text) as Place;
  if (started !== undefined) (await started).fault = undefined;
  return withBlobsInS3(await open(place.catalog), optionsOf(place));
}

const disks = new Map<string, MemoryDisk>();

/** Harness over the catalog in memory. */
export function memoryHarness(faults: FaultPair = { fails: "slow-down", failsAfter: "error-after" }): StorageHarness {
  const open = async (disk: string): Promise<Storage> => openMemoryStorage({ disk: disks.get(disk) ?? new MemoryDisk() });
  return {
    name: `memory, blobs in S3 with ${faults.fails} and ${faults.failsAfter}`,
    capabilities: { persistent: true, manyOpeners: false, seesBlobs: true },
    async create() {
      const disk = randomUUID();
      disks.set(disk, new MemoryDisk());
      return newPlace(disk);
    },
    open: (place) => openPlace(place, open),
    openWithFaults: faultyOpening(open, faults),
    async destroy(place) {
      disks.delete((JSON.parse(place) as Place).catalog);
    },
    async loseCatalog(place) {
      disks.get((JSON.parse(place) as Place).catalog)?.loseCatalog();
    },
  };
}

/** A worker of the kit saves beside many others, and must not give up. */
const isWorker = path.basename(process.argv[1] ?? "") === "worker.ts";
const openSqlite = (dataDir: string): Promise<Storage> => openSqliteFs({ dataDir, lockWaitMs: isWorker ? 60_000 : 2_000 });

/** Harness over SQLite, which several processes open. */
export const harness: StorageHarness = {
  name: "sqlite-fs, blobs in S3",
  module: import.meta.url,
  capabilities: { persistent: true, manyOpeners: true, seesBlobs: true },
  create: async () => newPlace(await mkdtemp(path.join(tmpdir(), "workrail-blobs-s3-"))),
  open: (place) => openPlace(place, openSqlite),
  destroy: (place) => rm((JSON.parse(place) as Place).catalog, { recursive: true, force: true, maxRetries: 3 }),
  async loseCatalog(place) {
    const dataDir = (JSON.parse(place) as Place).catalog;
    for (const name of await readdir(dataDir)) if (name.startsWith("workrail.db")) await rm(path.join(dataDir, name));
  },
};
