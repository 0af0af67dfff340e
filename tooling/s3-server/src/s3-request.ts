import type { IncomingHttpHeaders } from "node:http";

export type Operation =
  | "PutObject"
  | "GetObject"
  | "HeadObject"
  | "DeleteObject"
  | "DeleteObjects"
  | "ListObjectsV2"
  | "ListObjectVersions";

/** One request as the server received it. */
export interface S3Request {
  readonly method: string;
  /** Path as sent, still encoded, including the bucket in path style. */
  readonly rawPath: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** `undefined` for a service-level request: not supported. */
  readonly bucket: string | undefined;
  readonly key: string;
  /** `undefined` for an unsupported operation. */
  readonly operation: Operation | undefined;
}

/** Received parts of a request. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Reads a request in path style, or in virtual-host style when the host is `BUCKET.localhost`. */
export function s3RequestOf({ method, url, headers, body }: Received): S3Request {
  const [rawPath = "/", search = ""] = url.split(/\?(.*)/su);
  const query = new URLSearchParams(search);
  const host = /^(.+)\.localhost(:\d+)?$/u.exec(headers.host ?? "")?.[1];
  const segments = rawPath.slice(1).split("/");
  const bucket = host ?? (segments.shift() || undefined);
  const key = segments.map(decodeURIComponent).join("/");
  return { method, rawPath, query, headers, body, bucket, key, operation: operationOf(method, key, query) };
}

const OF_OBJECTS: Readonly<Record<string, Operation>> = {
  PUT: "PutObject",
  GET: "GetObject",
  HEAD: "HeadObject",
  DELETE: "DeleteObject",
};

function operationOf(method: string, key: string, query: URLSearchParams): Operation | undefined {
  if (key !== "") return OF_OBJECTS[method];
  if (method === "POST" && query.has("delete")) return "DeleteObjects";
  if (method !== "GET") return undefined;
  if (query.has("versions")) return "ListObjectVersions";
  return query.get("list-type") === "2" ? "ListObjectsV2" : undefined;
}
