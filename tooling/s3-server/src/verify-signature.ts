import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { S3Request } from "./s3-request.ts";

/** Account that may sign requests. */
export interface Account {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Expected with each request when it is given. */
  readonly sessionToken?: string | undefined;
  readonly region: string;
}

/** Most that the time of a request may differ from the server's, as AWS has it. */
const MOST_SKEW_MS = 15 * 60_000;

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/u;

/** Verifies the signature (AWS Signature Version 4, in headers). Returns the code of the error; `undefined` when the request may go on. */
export function refusalOf(request: S3Request, account: Account, now: Date): string | undefined {
  const { headers, body } = request;
  const [, keyId, day = "", region, signedHeaders = "", signature = ""] = AUTHORIZATION.exec(headers.authorization ?? "") ?? [];
  if (keyId === undefined) return "AccessDenied";
  if (keyId !== account.accessKeyId) return "InvalidAccessKeyId";
  if (headers["x-amz-security-token"] !== account.sessionToken) return "InvalidToken";
  if (region !== account.region) return "AuthorizationHeaderMalformed";
  const datetime = String(headers["x-amz-date"]);
  if (!(Math.abs(timeOf(datetime) - now.getTime()) <= MOST_SKEW_MS)) return "RequestTimeTooSkewed";
  const names = signedHeaders.split(";");
  // Every header that controls the operation must be signed.
  const unsigned = Object.keys(headers).filter((name) => (name.startsWith("x-amz-") || name === "host") && !names.includes(name));
  if (unsigned.length > 0) return "AccessDenied";
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", datetime, scope, sha256(canonicalRequest(request, names))].join("\n");
  const expected = hmac(signingKey(account, day), text);
  if (!timingSafeEqual(expected, Buffer.from(signature, "hex"))) return "SignatureDoesNotMatch";
  const declared = headers["x-amz-content-sha256"];
  return declared === "UNSIGNED-PAYLOAD" || declared === sha256(body) ? undefined : "XAmzContentSHA256Mismatch";
}

function canonicalRequest({ method, rawPath, query, headers }: S3Request, names: readonly string[]): string {
  const path = rawPath.split("/").map((segment) => encoded(decodeURIComponent(segment)));
  const pairs = [...query].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).toSorted();
  const lines = names.map((name) => `${name}:${String(headers[name] ?? "").trim()}\n`);
  return [method, path.join("/"), pairs.join("&"), lines.join(""), names.join(";"), headers["x-amz-content-sha256"]].join("\n");
}

function signingKey({ secretAccessKey, region }: Account, day: string): Buffer {
  const parts = [day, region, "s3", "aws4_request"];
  return parts.reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secretAccessKey}`));
}

/** Reads a time such as `20130524T000000Z`; `NaN` when it is none. */
function timeOf(datetime: string): number {
  return Date.parse(datetime.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u, "$1-$2-$3T$4:$5:$6Z"));
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/gu, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}
