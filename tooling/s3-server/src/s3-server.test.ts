import { createHash } from "node:crypto";
import { AwsClient } from "aws4fetch";
import { afterEach, describe, expect, it } from "vitest";
import { s3RequestOf } from "./s3-request.ts";
import { S3Server, type S3ServerOptions } from "./s3-server.ts";
import { refusalOf } from "./verify-signature.ts";

const servers: S3Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Starts a server, with a function that sends it signed requests. */
async function started(options?: S3ServerOptions, account: Readonly<Record<string, string>> = {}) {
  const server = await S3Server.start(options);
  servers.push(server);
  const { sessionToken: _token, ...signing } = server.account;
  const client = new AwsClient({ ...signing, service: "s3", retries: 0, ...account });
  const ask = (method: string, path: string, init: { body?: string; headers?: Record<string, string>; aws?: object } = {}) =>
    client.fetch(`${server.endpoint}/blobs${path}`, { method, ...init });
  return { server, ask };
}

const codeOf = async (response: Response) => [response.status, /<Code>(\w+)</u.exec(await response.text())?.[1]];
const sha256 = (text: string) => createHash("sha256").update(text).digest("base64");

describe("S3Server", () => {
  it("verifies the signature of AWS's own example", () => {
    const account = {
      accessKeyId: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      region: "us-east-1",
    };
    const signature = (last: string) => `f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb4${last}`;
    const refusal = (last: string, at: string) => {
      const authorization = `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=${signature(last)}`;
      const headers = {
        host: "examplebucket.s3.amazonaws.com",
        range: "bytes=0-9",
        "x-amz-content-sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "x-amz-date": "20130524T000000Z",
        authorization,
      };
      const request = s3RequestOf({ method: "GET", url: "/test.txt", headers, body: Buffer.alloc(0) });
      return refusalOf(request, account, new Date(at));
    };
    expect(refusal("1", "2013-05-24T00:10:00Z")).toBeUndefined();
    expect(refusal("2", "2013-05-24T00:10:00Z")).toBe("SignatureDoesNotMatch");
    expect(refusal("1", "2013-05-24T00:20:00Z")).toBe("RequestTimeTooSkewed");
  });

  it("refuses a wrong secret, an unknown key, a wrong region and a missing session token", async () => {
    const refusals = [];
    for (const account of [{ secretAccessKey: "wrong" }, { accessKeyId: "other" }, { region: "us-east-1" }]) {
      const { ask } = await started({}, account);
      refusals.push(await codeOf(await ask("GET", "/a")));
    }
    const { ask } = await started({ account: { sessionToken: "token" } }, { sessionToken: "other" });
    refusals.push(await codeOf(await ask("GET", "/a")));
    const codes = ["SignatureDoesNotMatch", "InvalidAccessKeyId", "AuthorizationHeaderMalformed", "InvalidToken"];
    expect(refusals).toEqual(codes.map((code) => [403, code]));
  });

  it("keeps objects, refuses wrong checksums, and puts with If-None-Match only once", async () => {
    const { ask } = await started();
    const checked = { "x-amz-checksum-sha256": sha256("one"), "if-none-match": "*" };
    expect((await ask("PUT", "/a%20b", { body: "one", headers: checked })).status).toBe(200);
    expect(await codeOf(await ask("PUT", "/a%20b", { body: "one", headers: checked }))).toEqual([412, "PreconditionFailed"]);
    const wrong = { "x-amz-checksum-sha256": sha256("two") };
    expect(await codeOf(await ask("PUT", "/c", { body: "one", headers: wrong }))).toEqual([400, "BadDigest"]);
    const got = await ask("GET", "/a%20b", { headers: { "x-amz-checksum-mode": "ENABLED" } });
    expect([await got.text(), got.headers.get("x-amz-checksum-sha256")]).toEqual(["one", sha256("one")]);
    expect(await codeOf(await ask("GET", "/c"))).toEqual([404, "NoSuchKey"]);
    expect((await ask("DELETE", "/a%20b")).status).toBe(204);
    expect(await codeOf(await ask("GET", "/a%20b"))).toEqual([404, "NoSuchKey"]);
  });

  it("lists in pages", async () => {
    const { ask } = await started({ pageSize: 2 });
    for (const key of ["p/1", "p/2", "p/3", "q"]) await ask("PUT", `/${key}`, { body: "x" });
    const first = await (await ask("GET", "?list-type=2&prefix=p/")).text();
    const token = /<NextContinuationToken>([^<]+)</u.exec(first)?.[1] ?? "";
    const second = await (await ask("GET", `?list-type=2&prefix=p/&continuation-token=${encodeURIComponent(token)}`)).text();
    const keys = (page: string) => [...page.matchAll(/<Key>([^<]+)</gu)].map(([, key]) => key);
    expect([keys(first), keys(second)]).toEqual([["p/1", "p/2"], ["p/3"]]);
    expect(second).toContain("<IsTruncated>false</IsTruncated>");
  });

  it("keeps versions of deleted objects in a versioned bucket", async () => {
    const { ask, server } = await started({ isVersioned: true });
    await ask("PUT", "/a", { body: "secret" });
    expect((await ask("DELETE", "/a")).headers.get("x-amz-delete-marker")).toBe("true");
    expect((await ask("GET", "/a")).status).toBe(404);
    const versions = await (await ask("GET", "?versions&prefix=a")).text();
    expect([...versions.matchAll(/<(Version|DeleteMarker)>/gu)].map(([, name]) => name)).toEqual(["DeleteMarker", "Version"]);
    for (const [, id] of versions.matchAll(/<VersionId>([^<]+)</gu)) await ask("DELETE", `/a?versionId=${id}`);
    expect(server.objects.listVersions("")).toEqual([]);
  });

  it.each([
    ["slow-down", 503, false],
    ["internal-error", 500, false],
    ["error-after", 500, true],
    ["drop", "lost", false],
    ["page", 200, false],
    ["drop-after", "lost", true],
    ["half-answer", "lost", true],
    ["damaged", 400, false],
  ] as const)("has the fault %s", async (fault, status, isDone) => {
    const { ask, server } = await started();
    server.fault = () => fault;
    const answer = ask("PUT", "/a", { body: "one", headers: { "x-amz-content-sha256": createHash("sha256").update("one").digest("hex") } });
    const read = async () => {
      const response = await answer;
      await response.text();
      return response.status;
    };
    const told = await read().catch(() => "lost");
    expect([told, server.objects.get("a") !== undefined]).toEqual([status, isDone]);
  });
});
