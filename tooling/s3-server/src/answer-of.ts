import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Bucket, Version } from "./bucket.ts";
import type { S3Request } from "./s3-request.ts";

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** Carries out a request on the bucket. */
export function answerOf(request: S3Request, bucket: Bucket, { now, pageSize }: { readonly now: Date; readonly pageSize: number }): Answer {
  switch (request.operation) {
    case "PutObject":
      return put(request, bucket, now);
    case "GetObject":
    case "HeadObject":
      return get(request, bucket);
    case "DeleteObject":
      return remove(request, bucket, now);
    case "DeleteObjects":
      return removeMany(request, bucket, now);
    case "ListObjectsV2":
      return list(request, bucket, pageSize);
    case "ListObjectVersions":
      return listVersions(request, bucket, pageSize);
    case undefined:
      return errorAnswer(501, "NotImplemented");
  }
}

/** Makes an S3 error response. `more` holds extra elements that AWS adds to some errors. */
export function errorAnswer(status: number, code: string, more = ""): Answer {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>Error of the test server.</Message>${more}</Error>`;
  return { status, headers: { "content-type": "application/xml" }, body };
}

function put({ key, headers, body }: S3Request, bucket: Bucket, now: Date): Answer {
  const condition = headers["if-none-match"];
  if (condition !== undefined && condition !== "*") return errorAnswer(501, "NotImplemented");
  if (condition === "*" && bucket.get(key) !== undefined) return errorAnswer(412, "PreconditionFailed");
  if (wrongChecksum(headers, body)) return errorAnswer(400, "BadDigest");
  const checksums = Object.fromEntries(Object.entries(headers).filter(([name]) => name in CHECKSUMS)) as Record<string, string>;
  const { id } = bucket.put(key, { bytes: Buffer.from(body), at: now, checksums });
  return { status: 200, headers: { etag: etagOf(body), ...checksums, ...(bucket.isVersioned ? { "x-amz-version-id": id } : {}) } };
}

function get({ key, headers }: S3Request, bucket: Bucket): Answer {
  const found = bucket.get(key);
  if (found?.bytes === undefined) return errorAnswer(404, "NoSuchKey");
  const checksums = headers["x-amz-checksum-mode"] === "ENABLED" ? found.checksums : {};
  const version = bucket.isVersioned ? { "x-amz-version-id": found.id } : {};
  return {
    status: 200,
    headers: { ...version, etag: etagOf(found.bytes), "last-modified": found.at.toUTCString(), ...checksums },
    body: found.bytes,
  };
}

function remove({ key, query }: S3Request, bucket: Bucket, now: Date): Answer {
  const isMarked = bucket.delete(key, query.get("versionId") ?? undefined, now);
  return { status: 204, headers: isMarked ? { "x-amz-delete-marker": "true" } : {} };
}

function removeMany({ headers, body }: S3Request, bucket: Bucket, now: Date): Answer {
  if (!Object.keys(headers).some((name) => name in CHECKSUMS || name === MD5)) return errorAnswer(400, "InvalidRequest");
  if (wrongChecksum(headers, body)) return errorAnswer(400, "BadDigest");
  const wanted = [...body.toString().matchAll(/<Object><Key>([^<]*)<\/Key>(?:<VersionId>([^<]*)<\/VersionId>)?<\/Object>/gu)];
  if (wanted.length === 0 || wanted.length > 1_000) return errorAnswer(400, "MalformedXML");
  const markers = wanted.map(([, key = "", versionId]) =>
    bucket.delete(key, versionId, now) ? `<Deleted><Key>${key}</Key><DeleteMarker>true</DeleteMarker></Deleted>` : "",
  );
  return xml(`<DeleteResult>${markers.join("")}</DeleteResult>`);
}

function list({ query }: S3Request, bucket: Bucket, pageSize: number): Answer {
  const after = query.get("continuation-token") ?? query.get("start-after") ?? "";
  const found = bucket.list(query.get("prefix") ?? "").filter(([key]) => key > after);
  const page = found.slice(0, Math.min(pageSize, Number(query.get("max-keys") ?? 1_000)));
  const isTruncated = page.length < found.length;
  const next = isTruncated ? `<NextContinuationToken>${page.at(-1)?.[0] ?? ""}</NextContinuationToken>` : "";
  const contents = page.map(([key, version]) => `<Contents><Key>${key}</Key>${factsOf(version)}</Contents>`);
  return xml(`<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join("")}</ListBucketResult>`);
}

function listVersions({ query }: S3Request, bucket: Bucket, pageSize: number): Answer {
  const [afterKey, afterId] = [query.get("key-marker") ?? "", query.get("version-id-marker") ?? ""];
  const all = bucket.listVersions(query.get("prefix") ?? "");
  const from = all.findIndex(([key, { id }]) => key === afterKey && id === afterId) + 1;
  const page = all.slice(from, from + pageSize);
  const isTruncated = from + page.length < all.length;
  const [lastKey, last] = page.at(-1) ?? [];
  const next = isTruncated ? `<NextKeyMarker>${lastKey}</NextKeyMarker><NextVersionIdMarker>${last?.id}</NextVersionIdMarker>` : "";
  const versions = page.map(([key, version]) => {
    const element = version.bytes === undefined ? "DeleteMarker" : "Version";
    return `<${element}><Key>${key}</Key><VersionId>${version.id}</VersionId>${factsOf(version)}</${element}>`;
  });
  return xml(`<ListVersionsResult><IsTruncated>${isTruncated}</IsTruncated>${next}${versions.join("")}</ListVersionsResult>`);
}

function factsOf({ bytes, at }: Version): string {
  return `<LastModified>${at.toISOString()}</LastModified>${bytes === undefined ? "" : `<Size>${bytes.length}</Size>`}`;
}

function xml(content: string): Answer {
  return { status: 200, headers: { "content-type": "application/xml" }, body: `<?xml version="1.0" encoding="UTF-8"?>\n${content}` };
}

const MD5 = "content-md5";

/** Checksums of a body, by the names of their headers. */
const CHECKSUMS: Readonly<Record<string, (body: Buffer) => string>> = {
  "x-amz-checksum-sha256": (body) => createHash("sha256").update(body).digest("base64"),
  "x-amz-checksum-crc32"(body) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(crc32(body));
    return bytes.toString("base64");
  },
};

function wrongChecksum(headers: S3Request["headers"], body: Buffer): boolean {
  const md5 = headers[MD5];
  if (md5 !== undefined && md5 !== createHash("md5").update(body).digest("base64")) return true;
  return Object.entries(CHECKSUMS).some(([name, checksum]) => headers[name] !== undefined && headers[name] !== checksum(body));
}

function etagOf(body: Buffer): string {
  return `"${createHash("md5").update(body).digest("hex")}"`;
}
