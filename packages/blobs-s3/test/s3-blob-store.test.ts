import { randomUUID } from "node:crypto";
import {
  type BlobInfo,
  type BlobKey,
  type BlobRef,
  type BlobStore,
  type CheckpointId,
  OBJECT_POINTER,
  type SessionId,
  type Storage,
  WorkrailError,
} from "@workrail/core";
import { MemoryDisk, openMemoryStorage } from "@workrail/memory";
import { S3Server, type S3ServerOptions } from "@workrail/s3-server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type BlobsInS3Options, credentialsFromEnvironment, readS3Place, withBlobsInS3 } from "../src/index.ts";

const servers: S3Server[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) await server.close();
});

async function startServer(options?: S3ServerOptions): Promise<S3Server> {
  const server = await S3Server.start(options);
  servers.push(server);
  return server;
}

function open(server: S3Server, storage: Storage, options: Partial<BlobsInS3Options & { prefix: string }> = {}): Storage {
  const address = `s3://${server.bucket}/${options.prefix ?? "prefix"}?endpoint=${server.endpoint}`;
  const credentials = credentialsFromEnvironment(server.environment);
  const place = readS3Place(address, server.environment, "WORKRAIL_BLOBS");
  return withBlobsInS3(storage, { place, credentials: () => credentials, firstWaitMs: 1, ...options });
}

const aKey = (): BlobKey => ({ sessionId: randomUUID() as SessionId, checkpointId: randomUUID() as CheckpointId });
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const HOUR = 3_600_000;

async function put(blobs: BlobStore, text: string, key = aKey()): Promise<BlobRef> {
  return (await blobs.put(key, bytesOf(text))) as BlobRef;
}

async function read(blobs: BlobStore, ref: BlobRef): Promise<string | undefined> {
  const bytes = await blobs.get(ref);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

async function listed(blobs: BlobStore): Promise<readonly BlobInfo[]> {
  const found = [];
  for await (const each of blobs.list()) found.push(each);
  return found;
}

/** A blob store with other methods in the place of some. */
function replacing(blobs: BlobStore, methods: Partial<BlobStore>): BlobStore {
  return new Proxy(blobs, {
    get(target, name) {
      const method: unknown = Reflect.get(name in methods ? methods : target, name);
      return typeof method === "function" ? method.bind(target) : method;
    },
  });
}

/** Texts of all objects but the marker of the store. */
function textsIn(server: S3Server): readonly string[] {
  const objects = server.objects.list("").filter(([key]) => !key.endsWith("/store"));
  return objects.map(([, { bytes }]) => String(bytes)).toSorted();
}

/** A change of the catalog that changes blobs and then is applied, withdrawn, or fails. */
function changing(storage: Storage, work: () => Promise<boolean>): Promise<string> {
  const blobs = work;
  return storage.catalog.change({ reads: {}, decide: () => ({ outcome: "done", withdrawn: "withdrawn", rows: [], audit: [], blobs }) });
}

/** Storage whose changes take back the blobs with the rows, as a database does. */
function transactional(disk: MemoryDisk): Storage {
  const storage = openMemoryStorage({ disk });
  return {
    ...storage,
    catalog: {
      read: (reads) => storage.catalog.read(reads),
      async change(rule) {
        const before = new Map(disk.blobs);
        const restore = (): void => {
          disk.blobs.clear();
          for (const [ref, bytes] of before) disk.blobs.set(ref, bytes);
        };
        try {
          const outcome = await storage.catalog.change(rule);
          if (outcome === "withdrawn") restore();
          return outcome;
        } catch (error) {
          restore();
          throw error;
        }
      },
    },
  };
}

describe("blobs in S3", () => {
  it("keep only pointers in the catalog's own blob store", async () => {
    const server = await startServer();
    const disk = new MemoryDisk();
    const { blobs } = open(server, openMemoryStorage({ disk }));
    const ref = await put(blobs, "x".repeat(10_000));
    expect(disk.blobs.get(ref)?.length).toBeLessThan(256);
    expect(textsIn(server)).toEqual(["x".repeat(10_000)]);
    expect(await listed(blobs)).toEqual([{ ref, sizeBytes: 10_000 }]);
  });

  it("are read where they were before the bucket was set", async () => {
    const server = await startServer();
    const inner = openMemoryStorage();
    const ref = await put(inner.blobs, "before");
    const { blobs } = open(server, inner);
    expect(await read(blobs, ref)).toBe("before");
    await blobs.replace(ref, bytesOf("after"));
    expect([await read(blobs, ref), textsIn(server)]).toEqual(["after", ["after"]]);
  });

  it("write the object before its pointer, and no pointer when that fails", async () => {
    const server = await startServer();
    const disk = new MemoryDisk();
    const { blobs } = open(server, openMemoryStorage({ disk }), { tries: 2 });
    await put(blobs, "one");
    server.fault = ({ operation }) => (operation === "PutObject" ? "error-after" : undefined);
    await expect(put(blobs, "two")).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    expect([(await listed(blobs)).length, textsIn(server)]).toEqual([1, ["one", "two"]]);
  });

  it("delete an object only when the change that gave it up counts", async () => {
    const server = await startServer();
    const storage = open(server, transactional(new MemoryDisk()));
    const { blobs } = storage;
    const [removed, replaced, aside] = [await put(blobs, "removed"), await put(blobs, "replaced"), await put(blobs, "aside")];
    const change = (isApplied: () => boolean) =>
      changing(storage, async () => {
        await blobs.remove([removed]);
        await blobs.replace(replaced, bytesOf("new"));
        await blobs.quarantine(aside);
        expect(textsIn(server)).toEqual(expect.arrayContaining(["aside", "removed", "replaced"]));
        return isApplied();
      });
    const fails = (): never => {
      throw new Error("lost");
    };
    await expect(change(fails)).rejects.toThrow("lost");
    expect(await change(() => false)).toBe("withdrawn");
    expect([await read(blobs, removed), await read(blobs, replaced), await read(blobs, aside)]).toEqual(["removed", "replaced", "aside"]);
    expect(await change(() => true)).toBe("done");
    expect([await read(blobs, removed), await read(blobs, replaced), await read(blobs, aside)]).toEqual([undefined, "new", undefined]);
    server.objects.age(2 * HOUR);
    await blobs.removeAbandoned();
    // The copy in quarantine stays.
    expect(textsIn(server)).toEqual(["aside", "new"]);
  });

  it("are read again when another process replaced them meanwhile", async () => {
    const server = await startServer();
    const disk = new MemoryDisk();
    const [one, other] = [open(server, openMemoryStorage({ disk })), open(server, openMemoryStorage({ disk }))];
    const ref = await put(one.blobs, "old");
    let replacing: Promise<void> | undefined;
    server.fault = ({ operation }) => {
      if (operation !== "GetObject" || replacing !== undefined) return undefined;
      replacing = other.blobs.replace(ref, bytesOf("new"));
      return "internal-error";
    };
    expect(["old", "new"]).toContain(await read(one.blobs, ref));
    await replacing;
    expect(await read(one.blobs, ref)).toBe("new");
  });

  it("read bytes again that were damaged on their way, and do not take them for damaged", async () => {
    const server = await startServer();
    const { blobs } = open(server, openMemoryStorage());
    const ref = await put(blobs, "some bytes");
    let reads = 0;
    server.fault = ({ operation }) => (operation === "GetObject" && ++reads === 1 ? "damaged" : undefined);
    expect(await read(blobs, ref)).toBe("some bytes");
    server.fault = ({ operation }) => (operation === "GetObject" ? "damaged" : undefined);
    await expect(blobs.get(ref)).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "object-damaged" } });
    await expect(blobs.quarantine(ref)).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
  });

  it("are damaged when their object is another one", async () => {
    const server = await startServer();
    const { blobs } = open(server, openMemoryStorage());
    const ref = await put(blobs, "some bytes");
    const key = server.objects.list("").find(([, { bytes }]) => String(bytes) === "some bytes")?.[0] ?? "";
    server.objects.put(key, { bytes: Buffer.from("other bytes"), at: new Date(), checksums: {} });
    // No codec writes a zero first, so every reader takes them for damaged.
    expect((await blobs.get(ref))?.[0]).toBe(0);
    expect(await blobs.quarantine(ref)).toBeDefined();
    expect(textsIn(server)).toEqual(["other bytes"]);
  });

  it("are not damaged when something else answers in the place of the bucket", async () => {
    const server = await startServer();
    const disk = new MemoryDisk();
    const ref = await put(open(server, openMemoryStorage({ disk })).blobs, "some bytes");
    const asPage = { bytes: Buffer.from("<!doctype html>"), at: new Date(), checksums: {} };
    const other = await startServer();
    // As a web server that has the same page for all addresses.
    for (const [key] of server.objects.list("")) other.objects.put(key, asPage);
    const { blobs } = open(other, openMemoryStorage({ disk }));
    await expect(blobs.get(ref)).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "object-storage-other" } });
    await expect(blobs.quarantine(ref)).rejects.toMatchObject({ details: { reason: "object-storage-other" } });
    expect(await read(open(server, openMemoryStorage({ disk })).blobs, ref)).toBe("some bytes");
  });

  it("are damaged when their pointer is, and their object stays for manual recovery", async () => {
    const server = await startServer();
    const disk = new MemoryDisk();
    const { blobs } = open(server, openMemoryStorage({ disk }));
    const ref = await put(blobs, "some bytes");
    const pointer = disk.blobs.get(ref) ?? new Uint8Array();
    // Each byte but those that tell a pointer from the bytes of a blob.
    for (let at = OBJECT_POINTER.length; at < pointer.length; at++) {
      const damaged = pointer.map((byte, index) => (index === at ? byte ^ 1 : byte));
      disk.blobs.set(ref, damaged);
      expect([at, (await blobs.get(ref))?.[0]]).toEqual([at, 0]);
    }
    server.objects.age(2 * HOUR);
    expect(await blobs.removeAbandoned()).toBe(0);
    expect(await blobs.quarantine(ref)).toBeDefined();
    await blobs.removeAbandoned();
    expect(textsIn(server)).toEqual(["some bytes"]);
  });

  it("are listed although one pointer cannot be read now", async () => {
    const server = await startServer();
    const inner = openMemoryStorage();
    const [one, other] = [await put(open(server, inner).blobs, "one"), await put(open(server, inner).blobs, "other")];
    const unreadable = replacing(inner.blobs, {
      async get(ref) {
        if (ref === one) throw new WorkrailError("STORAGE_UNAVAILABLE", "No.", { details: { reason: "input-output" } });
        return inner.blobs.get(ref);
      },
    });
    const found = await listed(open(server, { ...inner, blobs: unreadable }).blobs);
    expect(found.map(({ ref }) => ref)).toEqual([one, other]);
  });

  it("get another store id when the change that made the first was withdrawn", async () => {
    const server = await startServer();
    const disk = new MemoryDisk();
    const inner = transactional(disk);
    const ref = await put(inner.blobs, "before");
    const storage = open(server, inner);
    const change = (isApplied: boolean) =>
      changing(storage, async () => {
        await storage.blobs.replace(ref, bytesOf("after"));
        return isApplied;
      });
    expect([await change(false), await read(storage.blobs, ref)]).toEqual(["withdrawn", "before"]);
    expect([await change(true), await read(storage.blobs, ref)]).toEqual(["done", "after"]);
    server.objects.age(2 * HOUR);
    expect(await open(server, transactional(disk)).blobs.removeAbandoned()).toBe(0);
    expect(await read(storage.blobs, ref)).toBe("after");
  });

  it("are missing when their object is, but not when the bucket is another one", async () => {
    const server = await startServer();
    const disk = new MemoryDisk();
    const { blobs } = open(server, openMemoryStorage({ disk }));
    const ref = await put(blobs, "some bytes");
    const elsewhere = open(server, openMemoryStorage({ disk }), { prefix: "other" }).blobs;
    await expect(elsewhere.get(ref)).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "object-storage-other" } });
    await expect(elsewhere.quarantine(ref)).rejects.toMatchObject({ details: { reason: "object-storage-other" } });
    for (const [key, { bytes }] of server.objects.list(""))
      if (String(bytes) === "some bytes") server.objects.delete(key, undefined, new Date());
    expect([await blobs.get(ref), await blobs.quarantine(ref)]).toEqual([undefined, undefined]);
  });

  it("keep an object whose put may have succeeded, and delete the object of a late put", async () => {
    const server = await startServer();
    const inner = openMemoryStorage();
    const { blobs } = open(server, inner);
    const key = aKey();
    await put(blobs, "first", key);
    expect(await blobs.put(key, bytesOf("second"), { ifAbsent: true })).toBeUndefined();
    expect(textsIn(server)).toEqual(["first"]);
    const answerIsLost = replacing(inner.blobs, {
      async put(...args) {
        await inner.blobs.put(...args);
        return undefined;
      },
    });
    const other = aKey();
    await open(server, { ...inner, blobs: answerIsLost }).blobs.put(other, bytesOf("third"), { ifAbsent: true });
    expect(await read(blobs, blobs.refOf(other))).toBe("third");
  });

  it("write their object again when the machine slept so long that a collection may have deleted it", async () => {
    const server = await startServer();
    const { blobs } = open(server, openMemoryStorage());
    await put(blobs, "earlier");
    const before = server.requests.length;
    let sleptMs = 0;
    const real = Date.now.bind(Date);
    vi.spyOn(Date, "now").mockImplementation(() => real() + sleptMs);
    server.fault = ({ operation }) => {
      if (operation === "PutObject" && sleptMs === 0) sleptMs = HOUR;
      return undefined;
    };
    expect(await read(blobs, await put(blobs, "slow"))).toBe("slow");
    expect(textsIn(server)).toEqual(["earlier", "slow"]);
    const keys = server.requests.slice(before).flatMap(({ operation, key }) => (operation === "PutObject" ? [key] : []));
    expect(new Set(keys).size).toBe(2);
  });
});

describe("removeAbandoned", () => {
  it("deletes the objects that interrupted work left, once they are old", async () => {
    const server = await startServer({ pageSize: 3 });
    const disk = new MemoryDisk();
    const { blobs } = open(server, openMemoryStorage({ disk }), { tries: 1 });
    const kept = await Promise.all(["a", "b", "c", "d"].map((text) => put(blobs, text)));
    server.fault = ({ operation }) => (operation === "PutObject" ? "error-after" : undefined);
    await expect(put(blobs, "left by a put")).rejects.toThrow("InternalError");
    await expect(blobs.replace(kept[0] as BlobRef, bytesOf("left by a replacement"))).rejects.toThrow("InternalError");
    server.fault = ({ operation }) => (operation === "DeleteObjects" ? "internal-error" : undefined);
    const removed = await put(blobs, "left by a removal");
    await blobs.remove([removed]);
    server.fault = undefined;
    server.objects.age(HOUR / 2);
    expect(await blobs.removeAbandoned()).toBe(0);
    server.objects.age(HOUR);
    await put(blobs, "new");
    expect(await blobs.removeAbandoned()).toBe(3);
    expect(textsIn(server)).toEqual(["a", "b", "c", "d", "new"]);
    expect(await blobs.removeAbandoned()).toBe(0);
  });

  it("leaves the objects of other stores in the bucket", async () => {
    const server = await startServer();
    const [one, other] = [open(server, openMemoryStorage()), open(server, openMemoryStorage())];
    await put(one.blobs, "one");
    await put(other.blobs, "other");
    server.objects.age(2 * HOUR);
    expect([await one.blobs.removeAbandoned(), await open(server, openMemoryStorage()).blobs.removeAbandoned()]).toEqual([0, 0]);
    expect(textsIn(server)).toEqual(["one", "other"]);
  });

  it("deletes nothing while the catalog's own blobs cannot all be listed", async () => {
    const server = await startServer();
    const inner = openMemoryStorage();
    const { blobs } = open(server, inner);
    await put(blobs, "one");
    server.objects.age(2 * HOUR);
    const unreadable = replacing(inner.blobs, {
      list() {
        throw new Error("unreadable");
      },
    });
    await expect(open(server, { ...inner, blobs: unreadable }).blobs.removeAbandoned()).rejects.toThrow("unreadable");
    expect(textsIn(server)).toEqual(["one"]);
  });
});

describe("an erasure", () => {
  /** Erases a blob as a change of the catalog does, and purges the storage. */
  async function erase(storage: Storage, ref: BlobRef): Promise<readonly string[] | undefined> {
    await changing(storage, async () => {
      await storage.blobs.erase([ref]);
      return true;
    });
    return storage.purge?.();
  }

  it("deletes the object, its copies in quarantine, and what interrupted puts left", async () => {
    const server = await startServer();
    const storage = open(server, openMemoryStorage(), { tries: 1 });
    const { blobs } = storage;
    const key = aKey();
    await blobs.quarantine(await put(blobs, "in quarantine", key));
    server.fault = ({ operation }) => (operation === "PutObject" ? "error-after" : undefined);
    await expect(put(blobs, "left", key)).rejects.toThrow("InternalError");
    server.fault = undefined;
    server.objects.age(2 * HOUR);
    const ref = await put(blobs, "live", key);
    const other = await put(blobs, "other");
    expect(await erase(storage, ref)).toEqual([]);
    expect([textsIn(server), await read(blobs, other)]).toEqual([["other"], "other"]);
  });

  it("stays unfinished until its object is deleted", async () => {
    const server = await startServer();
    const storage = open(server, openMemoryStorage(), { tries: 1 });
    const ref = await put(storage.blobs, "secret");
    server.fault = ({ operation }) => (operation === "DeleteObjects" ? "internal-error" : undefined);
    expect(await erase(storage, ref)).toEqual([expect.stringContaining("answered with status 500 (InternalError)")]);
    server.fault = undefined;
    expect(await storage.purge?.()).toEqual([]);
    expect(textsIn(server)).toEqual([]);
  });

  it("is repeated after a crash, and waits for an object that a save under way may have written", async () => {
    const server = await startServer();
    const inner = openMemoryStorage();
    const storage = open(server, inner, { tries: 1 });
    const ref = await put(storage.blobs, "secret");
    server.fault = ({ operation }) => (operation === "PutObject" ? undefined : "drop");
    await erase(storage, ref);
    server.fault = undefined;
    const next = open(server, inner);
    expect(await erase(next, ref)).toEqual([expect.stringContaining("may belong to a save under way")]);
    server.objects.age(2 * HOUR);
    expect(await next.purge?.()).toEqual([]);
    expect(textsIn(server)).toEqual([]);
  });

  it("deletes all versions in a versioned bucket, or reports that they are left", async () => {
    const server = await startServer({ isVersioned: true });
    const storage = open(server, openMemoryStorage());
    const { blobs } = storage;
    const ref = await put(blobs, "secret one");
    await blobs.replace(ref, bytesOf("secret two"));
    const other = await put(blobs, "other");
    server.fault = ({ operation }) => (operation === "ListObjectVersions" ? "denied" : undefined);
    expect(await erase(storage, ref)).toEqual([expect.stringContaining("The bucket keeps versions of erased objects.")]);
    server.fault = undefined;
    expect(await storage.purge?.()).toEqual([]);
    const left = server.objects.listVersions("").map(([, { bytes }]) => String(bytes));
    expect(left.some((text) => text.startsWith("secret"))).toBe(false);
    expect(await read(blobs, other)).toBe("other");
  });
});
