import { isWorkrailError, WorkrailError } from "@workrail/core";
import { retryAfterMs, retry } from "@workrail/http-endpoint";
import { AwsClient } from "aws4fetch";
import { hash } from "node:crypto";
import type { GetCredentials } from "./s3-credentials.ts";
import type { S3Place } from "./s3-place.ts";

export interface S3RequestOptions {
  readonly place: S3Place;
  readonly credentials: GetCredentials;
  /** Time limit in milliseconds for one request, with all its tries and waits. Default 60,000. A try has a third of it. */
  readonly timeoutMs?: number | undefined;
  /** Number of tries, including the first. Default 5. */
  readonly tries?: number | undefined;
  /** Approximate wait before the second try; it doubles before each further one. Default 100 ms. */
  readonly firstWaitMs?: number | undefined;
}

export interface S3Request {
  readonly method: "GET" | "PUT" | "POST";
  /** Absent: the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** SHA-256 of the body in hexadecimal, if it is known. */
  readonly digest?: string;
  /** SHA-256 of the expected bytes. Other bytes that come with this checksum were damaged on their way, and are asked for again. */
  readonly expected?: string | undefined;
  /** Root element of the answer. Absent: the answer is about an object, and has its tag. */
  readonly root?: string;
}

export interface S3Answer {
  readonly bytes: Uint8Array;
  readonly headers: Headers;
}

const HINT = "Check the address of the blobs, the credentials and their permissions, and the network.";

/** Header with the checksum of an object. */
export const CHECKSUM = "x-amz-checksum-sha256";

/** Writes a digest in hexadecimal as S3 does. */
export function checksumOf(digest: string): string {
  return Buffer.from(digest, "hex").toString("base64");
}

/** Codes of a refusal that may pass, because bytes were damaged on their way or the service is busy. */
const PASSING = new Set<string | undefined>(["BadDigest", "XAmzContentSHA256Mismatch", "RequestTimeout", "IncompleteBody", "SlowDown"]);

/**
 * Sends signed requests to one bucket. Repeats them after a lost connection, a server error, a timeout or too many requests, so each
 * request must be one that can be repeated. No error holds credentials or bytes.
 */
export class S3Requests {
  readonly #options: S3RequestOptions;
  /** Difference of the service's clock to this one. */
  #skewMs = 0;

  constructor(options: S3RequestOptions) {
    this.#options = options;
  }

  /**
   * Resolves to the answer; `undefined` when there is no such object.
   *
   * @throws STORAGE_UNAVAILABLE
   */
  async send(request: S3Request): Promise<S3Answer | undefined> {
    const { timeoutMs = 60_000, tries = 5, firstWaitMs = 100 } = this.#options;
    const signal = AbortSignal.timeout(timeoutMs);
    const attempt = async (): Promise<S3Answer | undefined> => {
      const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs / 3)]);
      try {
        return await this.#ask(request, ending);
      } catch (error) {
        throw this.#failure(error, ending.aborted, request);
      }
    };
    try {
      return await retry(attempt, { tries, firstWaitMs, deadline: performance.now() + timeoutMs, signal });
    } catch (error) {
      throw this.#failure(error, signal.aborted, request);
    }
  }

  async #ask(request: S3Request, signal: AbortSignal): Promise<S3Answer | undefined> {
    const response = await fetch(await this.#signed(request), { signal });
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.ok && !isOwnAnswer(response, bytes, request)) throw this.#strange(request);
    if (response.ok && this.#isDamaged(response, bytes, request.expected)) throw this.#damaged(request);
    if (response.ok) return { bytes, headers: response.headers };
    const code = codeOf(bytes);
    if (response.status === 404 && code === "NoSuchKey") return undefined;
    throw this.#refused(response, code, request);
  }

  async #signed({ method, key, query = {}, headers = {}, body, digest }: S3Request): Promise<Request> {
    const { place, credentials } = this.#options;
    const url = new URL(urlOf(place, key));
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signer = new AwsClient({ ...withoutToken(await credentials()), service: "s3", region: place.region });
    return signer.sign(url, {
      method,
      headers: { ...headers, "x-amz-content-sha256": digest ?? hash("sha256", body ?? "", "hex") },
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      // Credentials go only to the configured address.
      redirect: "manual",
      aws: { datetime: new Date(Date.now() + this.#skewMs).toISOString().replaceAll(/[:-]|\.\d{3}/gu, "") },
    });
  }

  #refused({ status, headers }: Response, code: string | undefined, request: S3Request): WorkrailError {
    const isPassing = status >= 500 || status === 429 || PASSING.has(code) || (code === "RequestTimeTooSkewed" && this.#setClock(headers));
    const later = isPassing ? retryAfterMs(headers.get("retry-after"), Date.now()) : undefined;
    const told = code === undefined ? "" : ` (${code})`;
    const region = headers.get("x-amz-bucket-region");
    const hint = status < 400 && region !== null ? `The bucket is in the region ${region}. Give this one.` : HINT;
    return new WorkrailError("STORAGE_UNAVAILABLE", `The object storage ${this.#name} answered with status ${status}${told}.`, {
      details: {
        reason: "object-storage-refused",
        status,
        ...(code === undefined ? {} : { code }),
        ...this.#pathOf(request),
        isPassing,
        ...after(later),
      },
      hint,
    });
  }

  #isDamaged({ headers }: Response, bytes: Uint8Array, expected: string | undefined): boolean {
    if (expected === undefined || hash("sha256", bytes, "hex") === expected) return false;
    return headers.get(CHECKSUM) === checksumOf(expected);
  }

  #damaged(request: S3Request): WorkrailError {
    return new WorkrailError("STORAGE_UNAVAILABLE", `The bytes of the object storage ${this.#name} arrive damaged.`, {
      details: { reason: "object-damaged", ...this.#pathOf(request), isPassing: true },
      hint: "Check the network, and whether the object itself is damaged: a backup or an older version of it can be put back.",
    });
  }

  /** A proxy or another server on the way may answer any request with a page of its own, and status 200. */
  #strange(request: S3Request): WorkrailError {
    return new WorkrailError("STORAGE_UNAVAILABLE", `The answer of ${this.#name} is not from an object storage.`, {
      details: { reason: "object-storage-refused", ...this.#pathOf(request), isPassing: true },
      hint: HINT,
    });
  }

  /** Takes over the time of the service. True when that was news, so that another try may help. */
  #setClock(headers: Headers): boolean {
    const skewMs = Date.parse(headers.get("date") ?? "") - Date.now();
    const isNews = Math.abs(skewMs - this.#skewMs) > 60_000;
    if (isNews) this.#skewMs = skewMs;
    return isNews;
  }

  #failure(error: unknown, isLate: boolean, request: S3Request): WorkrailError {
    if (isWorkrailError(error)) return error;
    const why = isLate ? "does not answer in time" : `cannot be reached${networkCodeOf(error)}`;
    return new WorkrailError("STORAGE_UNAVAILABLE", `The object storage ${this.#name} ${why}.`, {
      details: { reason: "object-storage-unreachable", ...this.#pathOf(request), isPassing: true },
      hint: HINT,
      cause: error,
    });
  }

  get #name(): string {
    const { endpoint, bucket } = this.#options.place;
    return `${new URL(endpoint).host}/${bucket}`;
  }

  /** Names the object of a request, so that a person can find it. */
  #pathOf({ key = "" }: S3Request): { readonly path: string } {
    const { bucket, prefix } = this.#options.place;
    return { path: `s3://${bucket}/${prefix}${key}` };
  }
}

function urlOf({ endpoint, bucket, prefix, style }: S3Place, key: string | undefined): string {
  const path = key === undefined ? "" : `${prefix}${key}`;
  if (style === "path") return `${endpoint}/${bucket}${path === "" ? "" : `/${path}`}`;
  const { protocol, host } = new URL(endpoint);
  return `${protocol}//${bucket}.${host}/${path}`;
}

/** The signer takes a token only when there is one. */
function withoutToken({ accessKeyId, secretAccessKey, sessionToken }: Awaited<ReturnType<GetCredentials>>) {
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

function isOwnAnswer({ headers }: Response, bytes: Uint8Array, { root }: S3Request): boolean {
  return root === undefined ? headers.has("etag") : new TextDecoder().decode(bytes.subarray(0, 4_096)).includes(`<${root}`);
}

/** Reads the code of S3's form of an error. The rest of the answer may name the key id, and is not reported. */
function codeOf(bytes: Uint8Array): string | undefined {
  return /<Code>([A-Za-z0-9.]{1,80})<\/Code>/u.exec(new TextDecoder().decode(bytes.subarray(0, 4_096)))?.[1];
}

function networkCodeOf(error: unknown): string {
  const cause: NodeJS.ErrnoException | undefined = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const code = cause?.code;
  return code === undefined ? "" : ` (${code})`;
}

function after(retryAfter: number | undefined): { readonly retryAfterMs?: number } {
  return retryAfter === undefined ? {} : { retryAfterMs: retryAfter };
}
