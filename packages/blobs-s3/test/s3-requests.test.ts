import { S3Server, type S3ServerOptions, SERVER_FAULTS } from "@workrail/s3-server";
import dns from "node:dns";
import { afterEach, describe, expect, it, vi } from "vitest";
import { credentialsFromEnvironment } from "../src/s3-credentials.ts";
import { S3Objects } from "../src/s3-objects.ts";
import { readS3Place } from "../src/s3-place.ts";
import { type S3RequestOptions, S3Requests } from "../src/s3-requests.ts";
import { digestOf } from "../src/stored-object.ts";

const servers: S3Server[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) await server.close();
});

/** Finds the names below `localhost`, as some systems do. */
function findLocalNames(): void {
  const found = [{ address: "127.0.0.1", family: 4 }];
  vi.spyOn(dns, "lookup").mockImplementation(((_: string, __: object, tell: (error: null, addresses: typeof found) => void) => {
    tell(null, found);
  }) as never);
}

/** Starts a server, and makes a client of its bucket. */
async function started(options: S3ServerOptions & { readonly address?: string; readonly client?: Partial<S3RequestOptions> } = {}) {
  const server = await S3Server.start(options);
  servers.push(server);
  const endpoint = server.endpoint.replace("127.0.0.1", options.address?.includes("host") === true ? "localhost" : "127.0.0.1");
  const address = `s3://${server.bucket}/some/prefix?endpoint=${endpoint}${options.address ?? ""}`;
  const place = readS3Place(address, server.environment, "WORKRAIL_BLOBS");
  const credentials = credentialsFromEnvironment(server.environment);
  const requests = new S3Requests({ place, credentials: () => credentials, firstWaitMs: 1, ...options.client });
  return { server, objects: new S3Objects(requests, place.prefix) };
}

const BYTES = new TextEncoder().encode("some bytes");
const put = (objects: S3Objects, key: string) => objects.put(key, BYTES, digestOf(BYTES));

async function listed(objects: S3Objects, prefix = ""): Promise<readonly string[]> {
  const keys = [];
  for await (const { key } of objects.list(prefix)) keys.push(key);
  return keys;
}

describe("S3Objects", () => {
  it.each([
    ["in the path", ""],
    ["in the host's name", "&style=host"],
  ])("puts, gets, lists and deletes with the bucket %s", async (_, address) => {
    if (address !== "") findLocalNames();
    const { server, objects } = await started({ address });
    await put(objects, "a/1");
    await put(objects, "a/2");
    await put(objects, "b/1");
    expect(await objects.get("a/1")).toEqual(BYTES);
    expect(await objects.get("a/3")).toBeUndefined();
    expect(await listed(objects, "a/")).toEqual(["a/1", "a/2"]);
    await objects.delete(["a/1", "a/2", "a/3"]);
    expect(await listed(objects)).toEqual(["b/1"]);
    expect(server.objects.list("").map(([key]) => key)).toEqual(["some/prefix/b/1"]);
  });

  it("lists all pages, with sizes and ages by the service's clock", async () => {
    const { server, objects } = await started({ pageSize: 2 });
    for (const key of ["1", "2", "3", "4", "5"]) await put(objects, key);
    server.objects.age(60_000);
    const found = [];
    for await (const each of objects.list("")) found.push(each);
    expect(found.map(({ key }) => key)).toEqual(["1", "2", "3", "4", "5"]);
    for (const { sizeBytes, ageMs } of found) expect([sizeBytes, Math.round(ageMs / 60_000)]).toEqual([BYTES.length, 1]);
  });

  it("ends a listing that does not advance", { timeout: 20_000 }, async () => {
    const { objects } = await started({ pageSize: 0 });
    await put(objects, "a");
    const refused = { code: "STORAGE_UNAVAILABLE", details: { reason: "object-storage-refused" } };
    await expect(listed(objects)).rejects.toMatchObject(refused);
    await expect(objects.deleteVersions("", new Set())).rejects.toMatchObject(refused);
  });

  it("sends the digest of the bytes as a checksum, signed", async () => {
    const { objects, server } = await started({ client: { tries: 1 } });
    await put(objects, "b");
    const headers = server.requests[0]?.headers;
    expect(headers?.["x-amz-checksum-sha256"]).toBe(Buffer.from(digestOf(BYTES), "hex").toString("base64"));
    expect(headers?.authorization).toContain("x-amz-checksum-sha256");
    await expect(objects.put("a", BYTES, digestOf(new Uint8Array()))).rejects.toMatchObject({
      details: { code: "XAmzContentSHA256Mismatch" },
    });
    expect(server.objects.get("some/prefix/a")).toBeUndefined();
  });

  it("deletes versions, but for those that are kept", async () => {
    const { server, objects } = await started({ isVersioned: true, pageSize: 2 });
    for (const key of ["a/1", "a/2", "a/1", "b/1"]) await put(objects, key);
    await objects.delete(["a/1", "a/2"]);
    expect(await objects.isVersioned("b/1")).toBe(true);
    expect(server.objects.listVersions("").length).toBe(6);
    await objects.deleteVersions("a/", new Set(["a/2"]));
    expect(server.objects.listVersions("").map(([key]) => key)).toEqual(["some/prefix/a/2", "some/prefix/a/2", "some/prefix/b/1"]);
  });
});

describe("S3Requests", () => {
  it.each(SERVER_FAULTS)("gets over the fault %s of each operation", async (fault) => {
    const { server, objects } = await started({ client: fault === "silence" ? { timeoutMs: 3_000 } : {} });
    let isDue = true;
    server.fault = () => {
      isDue = !isDue;
      // Every other request.
      return isDue ? undefined : fault;
    };
    await put(objects, "a");
    expect(await objects.get("a", digestOf(BYTES))).toEqual(BYTES);
    server.fault = undefined;
    expect(await listed(objects)).toEqual(["a"]);
    let requests = 0;
    server.fault = () => (++requests === 1 ? fault : undefined);
    await objects.delete(["a"]);
    expect([await listed(objects), requests]).toEqual([[], 3]);
  });

  it("waits as long as the service asks for", async () => {
    const { server, objects } = await started();
    server.retryAfterSeconds = 1;
    let requests = 0;
    server.fault = () => (++requests === 1 ? "slow-down" : undefined);
    const begun = performance.now();
    await put(objects, "a");
    expect(performance.now() - begun).toBeGreaterThan(950);
  });

  it("gives up at once when the service asks for more time than is left", async () => {
    const { server, objects } = await started();
    server.retryAfterSeconds = 600;
    server.fault = () => "slow-down";
    await expect(put(objects, "a")).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { status: 503, retryAfterMs: 600_000 } });
    expect(server.requests).toHaveLength(1);
  });

  it("gives up after its tries, and at its time limit", async () => {
    const { server, objects } = await started({ client: { tries: 3 } });
    server.fault = () => "internal-error";
    await expect(put(objects, "a")).rejects.toMatchObject({ details: { reason: "object-storage-refused", code: "InternalError" } });
    expect(server.requests).toHaveLength(3);
    const hasty = await started({ client: { timeoutMs: 300 } });
    hasty.server.fault = () => "silence";
    const begun = performance.now();
    await expect(put(hasty.objects, "a")).rejects.toMatchObject({
      details: { reason: "object-storage-unreachable" },
      message: /does not answer in time/u,
    });
    expect(performance.now() - begun).toBeLessThan(30_000);
  });

  it.each(["denied", "internal-error", "drop", "damaged"] as const)(
    "names the object that the service does not give: %s",
    async (fault) => {
      const { server, objects } = await started({ client: { tries: 1 } });
      await put(objects, "a");
      server.fault = () => fault;
      const path = `s3://${server.bucket}/some/prefix/a`;
      await expect(objects.get("a", digestOf(BYTES))).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { path } });
    },
  );

  it("uses the service's clock when its own is wrong", async () => {
    const { server, objects } = await started({ now: () => new Date(Date.now() + 3_600_000), client: { tries: 2 } });
    await put(objects, "a");
    await put(objects, "b");
    expect([server.requests.length, await listed(objects)]).toEqual([3, ["a", "b"]]);
  });

  it("sends the token of temporary credentials, and asks for credentials each time", async () => {
    const account = { sessionToken: "token" };
    const { server, objects } = await started({ account });
    await put(objects, "a");
    const place = readS3Place(`s3://${server.bucket}?endpoint=${server.endpoint}`, server.environment, "WORKRAIL_BLOBS");
    let asked = 0;
    const credentials = async () => ({ ...server.account, sessionToken: ++asked > 1 ? "token" : "expired" });
    const renewed = new S3Objects(new S3Requests({ place, credentials }), place.prefix);
    await expect(put(renewed, "b")).rejects.toMatchObject({ details: { code: "InvalidToken" } });
    await put(renewed, "b");
  });

  it.each([
    ["a wrong secret", { secretAccessKey: "wrong-Secret" }, "SignatureDoesNotMatch"],
    ["an unknown key", { accessKeyId: "AKIAOTHER" }, "InvalidAccessKeyId"],
  ])("reports %s without the credentials, the signature and the bytes", async (_, wrong, code) => {
    const { server } = await started();
    const credentials = { ...server.account, ...wrong };
    const place = readS3Place(`s3://${server.bucket}?endpoint=${server.endpoint}`, server.environment, "WORKRAIL_BLOBS");
    const error = await new S3Objects(new S3Requests({ place, credentials: () => credentials }), "")
      .put("key", BYTES, digestOf(BYTES))
      .catch((each: unknown) => each);
    const host = new URL(server.endpoint).host;
    expect(error).toMatchObject({
      code: "STORAGE_UNAVAILABLE",
      message: `The object storage ${host}/blobs answered with status 403 (${code}).`,
    });
    const { message, hint, details, cause } = error as { message: string; hint: string; details: object; cause: unknown };
    const told = JSON.stringify({ message, hint, details, cause: String(cause) });
    for (const secret of [...Object.values(credentials), "Signature=", "some bytes"].filter((each) => each !== place.region))
      expect(told).not.toContain(secret);
  });

  it("reports a missing bucket as a failure, not as a missing object", async () => {
    const { server } = await started();
    const place = readS3Place(`s3://other-bucket?endpoint=${server.endpoint}`, server.environment, "WORKRAIL_BLOBS");
    const credentials = credentialsFromEnvironment(server.environment);
    const objects = new S3Objects(new S3Requests({ place, credentials: () => credentials }), "");
    await expect(objects.get("a")).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { code: "NoSuchBucket", status: 404 } });
  });

  it("reports an unreachable service", async () => {
    const { server, objects } = await started();
    await server.close();
    servers.length = 0;
    await expect(put(objects, "a")).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", message: /cannot be reached \(ECONNREFUSED\)/u });
  });
});
