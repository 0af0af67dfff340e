import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as waitFor } from "node:timers/promises";
import { type Answer, answerOf, errorAnswer } from "./answer-of.ts";
import { Bucket } from "./bucket.ts";
import { type S3Request, s3RequestOf } from "./s3-request.ts";
import { type ChooseFault, damaged, type ServerFault } from "./server-fault.ts";
import { type Account, refusalOf } from "./verify-signature.ts";

export interface S3ServerOptions {
  /** Default: one that the server's `environment` names. */
  readonly account?: Partial<Account>;
  /** True when deleted and replaced objects stay as versions. Default false. */
  readonly isVersioned?: boolean;
  /** Most entries of a listing. Default 1,000, as AWS has it. */
  readonly pageSize?: number;
  /** Default: the system's clock. */
  readonly now?: () => Date;
}

const BUCKET = "blobs";

/** S3-compatible server on a port of this machine, with one bucket in memory. Checks signatures and checksums as AWS does. */
export class S3Server {
  readonly bucket: string = BUCKET;
  readonly account: Account;
  /** Requests so far. */
  readonly requests: S3Request[] = [];
  /** Chooses the fault of each request. */
  fault: ChooseFault | undefined;
  /** Wait before each answer. */
  latencyMs = 0;
  /** Time that `slow-down` asks for. */
  retryAfterSeconds: number | undefined;
  objects: Bucket;
  readonly #options: S3ServerOptions;
  readonly #server: Server;

  private constructor(options: S3ServerOptions) {
    this.#options = options;
    this.account = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret/Example+Key", region: "eu-central-1", ...options.account };
    this.objects = new Bucket(options.isVersioned === true);
    this.#server = createServer((incoming, response) => void this.#serve(incoming, response));
  }

  static async start(options: S3ServerOptions = {}): Promise<S3Server> {
    const made = new S3Server(options);
    await new Promise<void>((resolve) => made.#server.listen(0, "127.0.0.1", resolve));
    return made;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The variables that hold the account's credentials and region. */
  get environment(): Readonly<Record<string, string>> {
    const { accessKeyId, secretAccessKey, sessionToken, region } = this.account;
    const token = sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: sessionToken };
    return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: region, ...token };
  }

  /** Does not keep the process running any more. */
  unref(): this {
    this.#server.unref();
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = await bodyOf(incoming);
    // The client went away.
    if (received === undefined) return;
    const { method = "", url = "/", headers } = incoming;
    const sent = s3RequestOf({ method, url, headers, body: received });
    this.requests.push(sent);
    if (this.latencyMs > 0) await waitFor(this.latencyMs);
    const fault = this.fault?.(sent);
    const request = fault === "damaged" ? { ...sent, body: damaged(sent.body) } : sent;
    const before = fault === undefined ? undefined : BEFORE[fault];
    if (before !== undefined) return before(response, this.retryAfterSeconds);
    const answer = this.#answer(request);
    if (fault === "error-after") return send(response, errorAnswer(500, "InternalError"));
    if (fault === "drop-after") return void response.destroy();
    if (fault === "half-answer") return sendHalf(response, answer);
    send(response, fault === "damaged" && answer.body !== undefined ? { ...answer, body: damaged(Buffer.from(answer.body)) } : answer);
  }

  #answer(request: S3Request): Answer {
    const now = this.#options.now?.() ?? new Date();
    const refusal = refusalOf(request, this.account, now);
    // As AWS does, an answer names the key id and the text that should have been signed.
    const told = `<AWSAccessKeyId>${this.account.accessKeyId}</AWSAccessKeyId><StringToSign>${String(request.headers.authorization)}</StringToSign>`;
    if (refusal !== undefined) return dated(errorAnswer(refusal === "XAmzContentSHA256Mismatch" ? 400 : 403, refusal, told), now);
    if (request.bucket !== this.bucket) return dated(errorAnswer(404, "NoSuchBucket"), now);
    return dated(answerOf(request, this.objects, { now, pageSize: this.#options.pageSize ?? 1_000 }), now);
  }
}

/** Faults that strike before the effect. */
const BEFORE: Partial<Record<ServerFault, (response: ServerResponse, retryAfterSeconds: number | undefined) => void>> = {
  "slow-down"(response, retryAfterSeconds) {
    if (retryAfterSeconds !== undefined) response.setHeader("retry-after", retryAfterSeconds);
    send(response, errorAnswer(503, "SlowDown"));
  },
  "internal-error": (response) => send(response, errorAnswer(500, "InternalError")),
  drop: (response) => void response.destroy(),
  page: (response) => send(response, { status: 200, headers: { "content-type": "text/html" }, body: "<!doctype html><p>Sign in" }),
  denied: (response) => send(response, errorAnswer(403, "AccessDenied")),
  silence: () => undefined,
};

function dated(answer: Answer, now: Date): Answer {
  return { ...answer, headers: { ...answer.headers, date: now.toUTCString() } };
}

function send(response: ServerResponse, { status, headers = {}, body = "" }: Answer): void {
  response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers }).end(response.req.method === "HEAD" ? "" : body);
}

/** Breaks the connection in the middle of the answer. */
function sendHalf(response: ServerResponse, { status, headers = {}, body = "" }: Answer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, "content-length": Math.max(bytes.length, 2) });
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  response.flushHeaders();
}

/** `undefined` when the connection broke. */
async function bodyOf(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}
