import type { HttpBindings } from "@hono/node-server";
import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  hostHeaderValidationResponse,
  isJsonContentType,
  localhostAllowedHostnames,
  OAuthError,
  OAuthErrorCode,
  originValidationResponse,
  verifyBearerToken,
} from "@modelcontextprotocol/server";
import type { Log } from "@workrail/core";
import type { Workrail } from "@workrail/runtime";
import { answerCall, type CallerPlace, scopeOfOperation } from "@workrail/runtime/remote";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { checkMessage } from "../checked-channel.ts";
import { type JsonRpcMessage, RPC_ERROR, type RequestId } from "../json-rpc.ts";
import { parseMessage } from "../parse-message.ts";
import { findWrongPart } from "../sdk-v2-server.ts";
import { type Access, type Scope, SCOPES } from "./access.ts";
import { BodyBudget } from "./body-budget.ts";
import { ENDPOINT, type HttpSettings, LIBRARY } from "./http-settings.ts";

/** Bodies of the greatest size that may be in memory at the same time. */
const LARGEST_BODIES = 4;
/** Largest body of a request whose answer lasts: its bytes stay in memory as long. */
const LARGEST_LASTING_BYTES = 64 * 1024;

/** A request that was let in. */
export interface McpRequestOptions {
  readonly parsedBody?: unknown;
  readonly authInfo?: AuthInfo;
  /** Tells whether the token is still good, for an answer that lasts. Absent: callers need no token. */
  readonly isAllowed?: () => Promise<boolean>;
}

/** The part that speaks MCP: `createMcpHandler` of the library. */
export interface McpHandler {
  fetch(request: Request, options: McpRequestOptions): Promise<Response>;
  close(): Promise<void>;
}

export interface HttpAppOptions {
  readonly settings: Pick<HttpSettings, "hosts" | "origins" | "requestsAMinute" | "issuer">;
  /** Address of the endpoint for clients. */
  readonly resource: URL;
  readonly mcp: McpHandler;
  /** Returns the access that a token gives; `undefined` for a wrong one. Absent: callers need no token. */
  readonly verify: ((token: string) => Promise<Access | undefined>) | undefined;
  /** Returns the right that a tool needs; `undefined` for an unknown tool. */
  readonly scopeOfTool: (name: string) => Scope | undefined;
  /** Opens the store of a caller's tenant, for programs that use the library over HTTP. Absent: they cannot. */
  readonly library?: ((caller: Access | undefined) => Promise<Workrail>) | undefined;
  /** Resolves when calls can be answered. */
  readonly isReady: () => Promise<void>;
  /** Keeps the store of a caller open until the returned function is called; `undefined` when too many are open. */
  readonly use: (caller: Access | undefined) => (() => void) | undefined;
  readonly maxBodyBytes: number;
  readonly log: Log;
}

type Env = {
  Bindings: HttpBindings;
  Variables: {
    access: Access | undefined;
    /** Called for a request that is not waited for when the server stops. */
    forget: () => void;
  };
};

/** The web application: refuses what must not reach the protocol, and hands on the rest. */
export class HttpApp {
  readonly #options: HttpAppOptions;
  readonly #hono = new Hono<Env>();
  readonly #limiter: RateLimiterMemory | undefined;
  readonly #bodies: BodyBudget;
  readonly #metadataUrl: string;
  readonly #underWay = new Set<symbol>();
  #idleWaiters: (() => void)[] = [];
  #isDraining = false;

  constructor(options: HttpAppOptions) {
    this.#options = options;
    const { requestsAMinute } = options.settings;
    this.#limiter = requestsAMinute === 0 ? undefined : new RateLimiterMemory({ points: requestsAMinute, duration: 60 });
    this.#bodies = new BodyBudget(LARGEST_BODIES * options.maxBodyBytes);
    this.#metadataUrl = getOAuthProtectedResourceMetadataUrl(options.resource);
    this.#route();
  }

  /** Answers a request of the web server. */
  readonly fetch = (request: Request, bindings: HttpBindings): Response | Promise<Response> => this.#hono.fetch(request, bindings);

  /** Refuses new requests from now on. */
  stop(): void {
    this.#isDraining = true;
  }

  /** Resolves when every request that arrived is answered. Subscriptions do not count: they end with the server. */
  async whenIdle(): Promise<void> {
    while (this.#underWay.size > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  #route(): void {
    const { maxBodyBytes, log } = this.#options;
    this.#hono.onError((error) => {
      log.error("a request failed unexpectedly", { error });
      return refusal(500, "The request failed unexpectedly. The cause is in the server's log.", {
        code: RPC_ERROR.internal,
      });
    });
    this.#hono.use(async (c, next) => {
      c.set("forget", this.#track(c));
      const refused = this.#refuseForeign(c.req.raw);
      if (refused === undefined) await next();
      else c.res = refused;
      // The web server closes a connection with an unread body. A client must know, or its next request is lost.
      if (this.#isDraining || !c.env.incoming.complete) c.header("Connection", "close");
    });
    this.#hono.get("/healthz", (c) => c.json({ status: "ok" }));
    this.#hono.get("/readyz", (c) => this.#ready(c));
    for (const place of ["", ENDPOINT]) {
      this.#hono.get(`/.well-known/oauth-protected-resource${place}`, (c) => this.#metadata(c));
    }
    const isTooLarge = (): Response => tooLarge(maxBodyBytes);
    this.#hono.all(
      ENDPOINT,
      (c, next) => this.#admit(c, next),
      bodyLimit({ maxSize: maxBodyBytes, onError: isTooLarge }),
      (c) => this.#serve(c),
    );
    this.#hono.post(
      `${LIBRARY}/:operation`,
      (c, next) => this.#admit(c, next),
      bodyLimit({ maxSize: maxBodyBytes, onError: isTooLarge }),
      (c) => this.#serveLibrary(c, c.req.param("operation")),
    );
    this.#hono.notFound(() => refusal(404, `Not found. The endpoint is ${ENDPOINT}.`));
  }

  /** Refuses requests that a web page sends to this machine under another name, or from another site. */
  #refuseForeign(request: Request): Response | undefined {
    const { hosts, origins } = this.#options.settings;
    const local = localhostAllowedHostnames();
    return hostHeaderValidationResponse(request, [...local, ...hosts]) ?? originValidationResponse(request, [...local, ...origins]);
  }

  async #ready(c: Context<Env>): Promise<Response> {
    if (this.#isDraining) return c.json({ status: "stopping" }, 503);
    try {
      await this.#options.isReady();
      return c.json({ status: "ready" });
    } catch (error) {
      this.#options.log.warn("not ready", { error });
      return c.json({ status: "the store cannot be opened" }, 503);
    }
  }

  /** Answers with the metadata of a protected resource (RFC 9728). */
  #metadata(c: Context<Env>): Response {
    const { resource, settings, verify } = this.#options;
    if (verify === undefined) return refusal(404, "This server needs no token.");
    const { issuer } = settings;
    return c.json({
      resource: resource.href,
      ...(issuer === undefined ? {} : { authorization_servers: [issuer.pathname === "/" ? issuer.origin : issuer.href] }),
      scopes_supported: SCOPES,
      bearer_methods_supported: ["header"],
      resource_name: "Workrail",
    });
  }

  /** Lets a request in: while the server runs, with a token that is right, and not too often. */
  async #admit(c: Context<Env>, next: () => Promise<void>): Promise<Response | undefined> {
    if (this.#isDraining) return later(503, "The server stops.", 1);
    const access = await this.#authenticate(c);
    if (access instanceof Response) return access;
    c.set("access", access);
    const wait = await this.#waitOf(access?.name ?? c.env.incoming.socket.remoteAddress ?? "unknown");
    if (wait > 0) return later(429, `This is more than ${this.#options.settings.requestsAMinute} requests a minute.`, wait);
    await next();
    return undefined;
  }

  async #authenticate(c: Context<Env>): Promise<Access | undefined | Response> {
    const { verify, log } = this.#options;
    if (verify === undefined) return undefined;
    let found: Access | undefined;
    const verifyAccessToken = async (token: string): Promise<AuthInfo> => {
      found = await verify(token);
      if (found === undefined)
        throw new OAuthError(OAuthErrorCode.InvalidToken, "The token is unknown, revoked or issued for another server.");
      return { token: "", clientId: found.name, scopes: [...found.scopes], expiresAt: found.expiresAt };
    };
    try {
      await verifyBearerToken(c.req.header("authorization"), { verifier: { verifyAccessToken } });
      return found;
    } catch (error) {
      if (!(error instanceof OAuthError)) log.error("a token cannot be checked", { error });
      return bearerAuthChallengeResponse(error, { resourceMetadataUrl: this.#metadataUrl });
    }
  }

  /** Tells whether a token that was good still is, with the same rights. */
  async #isStillGood(c: Context<Env>, { name, tenant, scopes, projects }: Access): Promise<boolean> {
    const again = await this.#authenticate(c);
    if (again === undefined || again instanceof Response || again.name !== name || again.tenant !== tenant) return false;
    return [...scopes].every((scope) => again.scopes.has(scope)) && String(again.projects) === String(projects);
  }

  /** Returns the seconds that a caller has to wait; 0: none. */
  async #waitOf(caller: string): Promise<number> {
    try {
      await this.#limiter?.consume(caller);
      return 0;
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      return Math.ceil(error.msBeforeNext / 1_000);
    }
  }

  /** Answers a call of a library's operation. */
  async #serveLibrary(c: Context<Env>, operation: string): Promise<Response> {
    const { library, log } = this.#options;
    const scope = scopeOfOperation(operation);
    if (library === undefined || scope === undefined) return refusal(404, "There is no such operation here.");
    const access = c.get("access");
    const refused = this.#refuseWithout(scope, access) ?? this.#use(c, access);
    if (refused !== undefined) return refused;
    if (!isJsonContentType(c.req.header("content-type"))) return refusal(415, "A call is JSON.");
    const body = await this.#read(c);
    if (body instanceof Response) return body;
    const isLasting = operation === "watchChanges";
    if (isLasting && body.length > LARGEST_LASTING_BYTES) return tooLarge(LARGEST_LASTING_BYTES);
    if (isLasting) c.get("forget")();
    const left = new AbortController();
    whenClosed(c, () => left.abort());
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const [writer, encoder] = [writable.getWriter(), new TextEncoder()];
    const send = async (line: string): Promise<void> => {
      if (isLasting && access !== undefined && !(await this.#isStillGood(c, access))) left.abort();
      left.signal.throwIfAborted();
      await writer.write(encoder.encode(line));
    };
    const open = async (place: CallerPlace): Promise<Workrail> =>
      (await library(access)).asCaller({ projects: access?.projects, subject: access?.name, place });
    const call = { operation, body: body.toString("utf8"), signal: left.signal, open, send, log };
    void answerCall(call)
      .then(() => writer.close())
      .catch((error: unknown) => {
        log.debug("a caller of the library left", { error });
        return writer.abort(error).catch(() => {});
      });
    return new Response(readable, {
      headers: { "content-type": "application/x-ndjson", "cache-control": "no-store", "x-accel-buffering": "no" },
    });
  }

  /** Keeps the store of the caller's tenant open until the answer is sent. Returns a refusal when too many are open. */
  #use(c: Context<Env>, access: Access | undefined): Response | undefined {
    const leave = this.#options.use(access);
    if (leave === undefined) return later(503, "The server serves as many tenants as it can.", 1);
    whenClosed(c, leave);
    return undefined;
  }

  /** Reads a body within the memory for all bodies; else returns the refusal. */
  async #read(c: Context<Env>): Promise<Buffer | Response> {
    const giveBack = this.#bodies.reserve(Number(c.req.header("content-length") ?? this.#options.maxBodyBytes));
    if (giveBack === undefined) return later(503, "The server reads as many large bodies as it can.", 1);
    whenClosed(c, () => giveBack(0));
    const body = await bodyOf(c);
    if (body === undefined) return refusal(400, "The connection ended before the body did.");
    // A body without a declared length had reserved the most.
    giveBack(body.length);
    return body;
  }

  async #serve(c: Context<Env>): Promise<Response> {
    const access = c.get("access");
    const full = this.#use(c, access);
    if (full !== undefined) return full;
    const authInfo = access === undefined ? {} : { authInfo: authInfoOf(access) };
    const request = c.req.raw;
    // The library refuses other methods and types without reading the body.
    if (request.method !== "POST" || !isJsonContentType(request.headers.get("content-type")))
      return this.#options.mcp.fetch(request, authInfo);
    const body = await this.#read(c);
    if (body instanceof Response) return body;
    const read = parseMessage(body);
    if (read.kind === "rejected") return refusal(400, read.rejection.message, read.rejection);
    const { fault, checkedMessage } = checkMessage(read.message, findWrongPart);
    if (fault !== undefined) return Response.json(fault, { status: 400 });
    const refused = this.#refuseScope(checkedMessage, access);
    if (refused !== undefined) return refused;
    const isLasting = "method" in checkedMessage && checkedMessage.method === "subscriptions/listen";
    if (isLasting && body.length > LARGEST_LASTING_BYTES) return tooLarge(LARGEST_LASTING_BYTES);
    if (isLasting) c.get("forget")();
    const isAllowed = access === undefined ? undefined : () => this.#isStillGood(c, access);
    return this.#options.mcp.fetch(request, { ...authInfo, ...(isAllowed === undefined ? {} : { isAllowed }), parsedBody: checkedMessage });
  }

  /** Refuses a request that the token has no right to. */
  #refuseScope(message: JsonRpcMessage, access: Access | undefined): Response | undefined {
    const scope = this.#scopeOf(message);
    return scope === undefined ? undefined : this.#refuseWithout(scope, access);
  }

  #refuseWithout(scope: Scope, access: Access | undefined): Response | undefined {
    if (access === undefined || access.scopes.has(scope)) return undefined;
    const error = new OAuthError(OAuthErrorCode.InsufficientScope, `This needs a token with the scope ${scope}.`);
    return bearerAuthChallengeResponse(error, { requiredScopes: [scope], resourceMetadataUrl: this.#metadataUrl });
  }

  /** Returns the right that a request needs; `undefined`: none. Resources, prompts, completions and notices show saved work. */
  #scopeOf(message: JsonRpcMessage): Scope | undefined {
    if (!("method" in message)) return undefined;
    if (/^(?:resources|prompts|completion|subscriptions)[/]/u.test(message.method)) return "read";
    const name = message.params?.["name"];
    return message.method === "tools/call" && typeof name === "string" ? this.#options.scopeOfTool(name) : undefined;
  }

  /** Counts a request until it is answered. Returns the function that counts it no longer. */
  #track(c: Context<Env>): () => void {
    const request = Symbol("request");
    this.#underWay.add(request);
    const forget = (): void => {
      this.#underWay.delete(request);
      if (this.#underWay.size > 0) return;
      const waiters = this.#idleWaiters;
      this.#idleWaiters = [];
      for (const wake of waiters) wake();
    };
    c.env.outgoing.once("close", forget);
    return forget;
  }
}

/** Runs a step when the answer is sent, or the client has left. */
function whenClosed({ env: { outgoing } }: Context<Env>, step: () => void): void {
  if (outgoing.closed) step();
  else outgoing.once("close", step);
}

/** Carries a caller through the MCP library. */
function authInfoOf(access: Access): AuthInfo {
  return { token: "", clientId: access.name, scopes: [...access.scopes], extra: { access } };
}

/** Returns the caller that `authInfoOf` carried; `undefined` where callers need no token. */
export function accessIn(authInfo: AuthInfo | undefined): Access | undefined {
  return authInfo === undefined ? undefined : (authInfo.extra as { readonly access: Access }).access;
}

/** Reads a body; `undefined` when the client leaves before its end. */
async function bodyOf(c: Context<Env>): Promise<Buffer | undefined> {
  try {
    return Buffer.from(await c.req.arrayBuffer());
  } catch (error) {
    if (c.env.incoming.destroyed && !c.env.incoming.complete) return undefined;
    throw error;
  }
}

/** A refusal in the form of the protocol. */
function refusal(
  status: number,
  message: string,
  { code = RPC_ERROR.invalidRequest, id = null }: { readonly code?: number; readonly id?: RequestId | null | undefined } = {},
): Response {
  return Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status });
}

function tooLarge(mostBytes: number): Response {
  return refusal(413, `The body is too large. This server takes at most ${mostBytes} bytes.`);
}

function later(status: number, message: string, seconds: number): Response {
  const response = refusal(status, message);
  response.headers.set("Retry-After", String(seconds));
  return response;
}
