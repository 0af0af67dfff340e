import fs from "node:fs";
import path from "node:path";
import { credentialsFromEnvironment, readS3Place, withBlobsInS3 } from "@workrail/blobs-s3";
import type { Storage } from "@workrail/core";
import { S3Server } from "@workrail/s3-server";
import { openSqliteFs } from "@workrail/sqlite-fs";
import { afterEach, describe, expect, it } from "vitest";
import type { Environment } from "../src/config/default-data-dir.ts";
import { restoreBackup } from "../src/index.ts";
import type { Workrail } from "../src/workrail.ts";
import { onDisk, type Place, refusalOf } from "./stores.ts";

const servers: S3Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Runs a test with a store whose checkpoints are in the bucket of a test server. */
async function inBucket(test: (place: Place, server: S3Server) => Promise<void>, env: Environment = {}): Promise<void> {
  const server = await S3Server.start();
  servers.push(server);
  const WORKRAIL_BLOBS = `s3://${server.bucket}/team?endpoint=${server.endpoint}`;
  await onDisk((place) => test(place, server), { ...server.environment, WORKRAIL_BLOBS, ...env });
}

/** Opens the storage that the settings name, which waits hardly at all before it repeats a request. */
async function impatientStorage({ dataDir }: { readonly dataDir: string }, env: Environment): Promise<Storage> {
  return withBlobsInS3(await openSqliteFs({ dataDir }), {
    place: readS3Place(env["WORKRAIL_BLOBS"] ?? "", env, "WORKRAIL_BLOBS"),
    credentials: () => credentialsFromEnvironment(env),
    firstWaitMs: 1,
  });
}

async function save(workrail: Workrail, ...steps: readonly number[]): Promise<readonly string[]> {
  const ids = [];
  for (const step of steps)
    ids.push((await workrail.saveCheckpoint({ sessionId: "s", context: { step, text: "word ".repeat(400) } })).checkpointId);
  return ids;
}

async function stepOf(workrail: Workrail, checkpointId: string): Promise<unknown> {
  return (await workrail.loadCheckpoint({ checkpointId })).context["step"];
}

/** Bytes of all objects, as text. */
function textIn(server: S3Server): string {
  return server.objects
    .list("")
    .map(([, { bytes }]) => String(bytes?.toString("latin1")))
    .join("\n");
}

const blobsIn = (server: S3Server): number => server.objects.list("").filter(([key]) => key.includes("/blobs/")).length;

describe("the setting blobs", () => {
  it("keeps checkpoints in the bucket, through compaction, verification and a rebuild", async () => {
    await inBucket(async (place, server) => {
      const workrail = await place.open();
      const ids = await save(workrail, 1, 2, 3, 4);
      await workrail.close();
      expect(blobsIn(server)).toBe(4);
      place.loseCatalog();
      const again = await place.open();
      expect(await again.verifyStore()).toMatchObject({ checkpoints: 4, findings: [], orphans: [] });
      for (const [index, id] of ids.entries()) expect(await stepOf(again, id)).toBe(index + 1);
      await again.close();
      const files = fs
        .readdirSync(path.join(place.dataDir, "contexts"), { recursive: true, withFileTypes: true })
        .filter((each) => each.name.endsWith(".gz"));
      for (const { parentPath, name } of files) expect(fs.statSync(path.join(parentPath, name)).size).toBeLessThan(256);
    });
  });

  it("verifies and loads around a checkpoint whose object always arrives damaged", async () => {
    await inBucket(async (place, server) => {
      const workrail = await place.open({ adapters: { storage: (settings) => impatientStorage(settings, place.env) } });
      const [whole = ""] = await save(workrail, 1);
      const known = new Set(server.objects.list("").map(([key]) => key));
      const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "t", context: { text: "other ".repeat(400) } });
      const [key, object] = server.objects.list("").find(([each]) => !known.has(each)) ?? [];
      if (key === undefined || object?.bytes === undefined) throw new Error("The save put no object.");
      server.objects.put(key, { ...object, bytes: Buffer.from(object.bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte))) });
      const path = `s3://${server.bucket}/${key}`;
      const finding = { kind: "unreadable", checkpointId };
      expect(await workrail.verifyStore()).toMatchObject({ checkpoints: 2, findings: [finding] });
      expect(await refusalOf(workrail.loadCheckpoint({ checkpointId }))).toMatchObject({ details: { reason: "object-damaged", path } });
      expect(await stepOf(workrail, whole)).toBe(1);
      await workrail.close();
    });
  });

  it("refuses loads in a process without it, and marks no checkpoint as damaged", async () => {
    await inBucket(async (place) => {
      const workrail = await place.open();
      const [id = ""] = await save(workrail, 1);
      await workrail.close();
      const without = await place.open({ env: { WORKRAIL_BLOBS: "" } });
      expect(await refusalOf(without.loadCheckpoint({ checkpointId: id }))).toMatchObject({
        code: "STORAGE_UNAVAILABLE",
        details: { reason: "object-storage-not-set" },
        hint: expect.stringContaining("WORKRAIL_BLOBS"),
      });
      expect(await refusalOf(without.repairStore())).toMatchObject({ code: "STORAGE_UNAVAILABLE" });
      await without.close();
      const again = await place.open();
      expect(await stepOf(again, id)).toBe(1);
      await again.close();
    });
  });

  it("loads checkpoints that were saved before it was set", async () => {
    await inBucket(async (place, server) => {
      const before = await place.open({ env: { WORKRAIL_BLOBS: "" } });
      const [id = ""] = await save(before, 1);
      await before.close();
      const after = await place.open();
      await save(after, 2);
      expect([await stepOf(after, id), blobsIn(server)]).toEqual([1, 1]);
      await after.close();
    });
  });

  it("sends only sealed bytes of a sealed store", async () => {
    await inBucket(
      async (place, server) => {
        const workrail = await place.open();
        const [id = ""] = await save(workrail, 1);
        expect(await stepOf(workrail, id)).toBe(1);
        await workrail.close();
        expect(textIn(server)).not.toContain("\u001f\u008b");
        expect(blobsIn(server)).toBe(1);
      },
      { WORKRAIL_ENCRYPTION: "enabled", WORKRAIL_ENCRYPTION_KEY: "5".repeat(64) },
    );
  });

  it("erases checkpoints from the bucket", async () => {
    await inBucket(async (place, server) => {
      const workrail = await place.open();
      const [first = "", second = ""] = await save(workrail, 1, 2);
      const { left } = await workrail.deleteCheckpoint({ checkpointId: first });
      expect(left).toEqual([]);
      expect([blobsIn(server), await stepOf(workrail, second)]).toEqual([1, 2]);
      await workrail.close();
    });
  });

  it("makes backups that need no bucket", async () => {
    await inBucket(async (place) => {
      const workrail = await place.open();
      const [id = ""] = await save(workrail, 1);
      const backup = path.join(path.dirname(place.dataDir), "backup");
      await workrail.backup(backup);
      await workrail.close();
      const dataDir = path.join(path.dirname(place.dataDir), "restored");
      await restoreBackup(backup, { dataDir, env: {} });
      const restored = await place.open({ dataDir, env: { WORKRAIL_BLOBS: "" } });
      expect(await stepOf(restored, id)).toBe(1);
      await restored.close();
    });
  });

  it("lets memory keep saves while the bucket is away, and writes them when it is back", async () => {
    await inBucket(async (place, server) => {
      const workrail = await place.open({ fallback: "memory" });
      await save(workrail, 1);
      server.fault = () => "denied";
      const { details } = await refusalOf(save(workrail, 2));
      expect(details).toMatchObject({ retained: "memory", reason: "object-storage-refused", code: "AccessDenied" });
      server.fault = undefined;
      await save(workrail, 3);
      await workrail.close();
      const again = await place.open();
      expect((await again.listCheckpoints({ sessionId: "s" })).length).toBe(3);
      expect(await stepOf(again, String(details["checkpointId"]))).toBe(2);
      await again.close();
    });
  });

  it.each([
    ["a wrong address", { WORKRAIL_BLOBS: "https://bucket" }, "WORKRAIL_BLOBS"],
    ["missing credentials", { AWS_SECRET_ACCESS_KEY: "" }, "AWS_SECRET_ACCESS_KEY"],
  ])("is refused with %s", async (_, env, field) => {
    await inBucket(async (place) => {
      expect(await refusalOf(place.open({ env }))).toMatchObject({ code: "INVALID_INPUT", details: { field } });
      expect(fs.existsSync(path.join(place.dataDir, "workrail.db"))).toBe(false);
    });
  });
});
