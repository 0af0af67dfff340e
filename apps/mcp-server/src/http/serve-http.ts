import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { type AuthInfo, createMcpHandler, type McpRequestContext } from "@modelcontextprotocol/server";
import { type Limits, WorkrailError } from "@workrail/core";
import type { Workrail } from "@workrail/runtime";
import { Catalogue, type CatalogueOptions, type Offer } from "../catalogue.ts";
import { createDrain, drainOnSignals } from "../drain.ts";
import { createSdkV2Server } from "../sdk-v2-server.ts";
import { DEFAULT_MAX_MESSAGE_BYTES } from "../stdio-transport.ts";
import type { Tool } from "../tool.ts";
import { type Access, type Scope, scopeOf, SCOPES } from "./access.ts";
import { accessIn, HttpApp, type McpHandler } from "./http-app.ts";
import { bracketedHost, ENDPOINT, type HttpSettings } from "./http-settings.ts";
import { Listeners } from "./listeners.ts";
import { TOKEN_PREFIX, TokenFile } from "./token-file.ts";
import { JwtVerifier } from "./verify-jwt.ts";

/** Returns the offer for a caller; without one, everything. */
export type OfferFor = (caller: Access | undefined) => Offer;

/** Tools, resources and prompts over a store, or over a caller's part of it. */
export type Offered = Pick<CatalogueOptions, "tools" | "resources" | "prompts" | "page" | "notices">;

export interface ServeHttpOptions extends CatalogueOptions {
  readonly settings: HttpSettings;
  readonly maxBodyBytes: number;
  /** Returns the same tools, resources and prompts over the part of the store that exists for a caller. */
  readonly offeredTo: (caller: Access) => Offered;
  /** Keeps the store of a caller's tenant open until the returned function is called; `undefined` when too many are in use. */
  readonly use: (caller: Access | undefined) => (() => void) | undefined;
  /** Opens the store of a caller's tenant, for programs that use the library over HTTP. Absent: they cannot. */
  readonly library?: (caller: Access | undefined) => Promise<Workrail>;
  /** Resolves when calls can be answered. */
  readonly isReady: () => Promise<void>;
  /** Steps that run last, in order, when the server stops, such as closing the store. */
  readonly close?: readonly (() => void | Promise<void>)[];
  /** Default: by version 2 of the MCP library, for every version of the protocol. */
  readonly createHandler?: (offerFor: OfferFor, options: ServeHttpOptions) => McpHandler;
  /** Time limits of the web server. */
  readonly patience?: Partial<HttpTimeouts>;
}

/** Time limits of the web server, in milliseconds. */
export interface HttpTimeouts {
  /** For the head of a request. */
  readonly headMs: number;
  /** For a whole request, which may be a body of some ten megabytes. */
  readonly requestMs: number;
  /** For a connection on which nothing moves. */
  readonly silenceMs: number;
}

const PATIENCE: HttpTimeouts = { headMs: 10_000, requestMs: 60_000, silenceMs: 120_000 };
/** Connections at the same time; the system closes further ones. */
const MOST_CONNECTIONS = 512;

/** Most callers whose tools are kept ready. */
const MOST_CATALOGUES = 64;

/** Room for the rest of a message beside the largest context. */
const ENVELOPE_BYTES = 64 * 1024;

/**
 * Returns the most bytes of a body: those of the largest message on standard input, or fewer where a context may not be that large. A byte of
 * a context may take six in a message, escaped.
 */
export function maxBodyBytesOf({ maxContextBytes }: Pick<Limits, "maxContextBytes">): number {
  return Math.min(DEFAULT_MAX_MESSAGE_BYTES, 6 * maxContextBytes + ENVELOPE_BYTES);
}

/**
 * Serves the tools on HTTP until a signal arrives, then ends the process.
 *
 * @returns the address at which it listens.
 * @throws INVALID_INPUT when the server cannot listen there, or when the token file cannot be used.
 */
export async function serveHttp(options: ServeHttpOptions): Promise<URL> {
  const { settings, tools, log, close = [], createHandler = handlerV2 } = options;
  const tokenFile = settings.tokenFile === undefined ? undefined : new TokenFile(settings.tokenFile);
  tokenFile?.check();
  const ready = Promise.withResolvers<HttpApp>();
  const server = webServer(options, async (request, bindings) => (await ready.promise).fetch(request, bindings));
  const address = await listen(server, settings);
  const resource = settings.url ?? address;
  server.on("error", (error) => log.error("the web server failed", { error }));
  const catalogues = new Map<string, Catalogue>();
  const offerFor: OfferFor = (caller) => {
    const scopes = SCOPES.filter((scope) => caller?.scopes.has(scope) !== false);
    const key = JSON.stringify([caller?.tenant ?? null, caller?.name, scopes, caller?.projects]);
    const made = catalogues.get(key) ?? catalogueFor(options, scopes, caller);
    catalogues.delete(key);
    catalogues.set(key, made);
    const [oldest = key] = catalogues.keys();
    if (catalogues.size > MOST_CATALOGUES && !catalogues.get(oldest)?.isRunning) catalogues.delete(oldest);
    return made;
  };
  const mcp = createHandler(offerFor, options);
  const known = options.page === undefined ? tools : [...tools, options.page.tool];
  const scopes = new Map<string, Scope>(known.map((tool: Tool) => [tool.name, scopeOf(tool)]));
  const verify = verifier(tokenFile, settings, resource);
  const app = new HttpApp({ ...options, resource, mcp, verify, scopeOfTool: (name) => scopes.get(name) });
  ready.resolve(app);
  const drain = createDrain({
    stop: () => {
      app.stop();
      server.close();
    },
    whenIdle: async () => {
      // Requests that the system has received and this process has not yet read are answered, too.
      await yieldToEventLoop();
      await app.whenIdle();
      await Promise.all([...catalogues.values()].map((catalogue) => catalogue.whenIdle()));
    },
    close: [() => mcp.close(), () => server.closeAllConnections(), ...close],
    log,
  });
  drainOnSignals(drain, log);
  return address;
}

function catalogueFor(options: ServeHttpOptions, scopes: readonly Scope[], caller: Access | undefined): Catalogue {
  const offered = caller === undefined ? options : options.offeredTo(caller);
  const saved = scopes.includes("read") ? {} : { resources: [], prompts: [], page: undefined };
  return new Catalogue({ ...options, ...offered, ...saved, tools: offered.tools.filter((tool) => scopes.includes(scopeOf(tool))) });
}

/** Serves every version of the protocol by version 2 of the MCP library. */
export function handlerV2(offerFor: OfferFor, { maxBodyBytes, log }: Pick<ServeHttpOptions, "maxBodyBytes" | "log">): McpHandler {
  const onerror = (error: Error): void => log.debug("protocol", { error });
  const offerOf = (authInfo: AuthInfo | undefined): Offer => offerFor(accessIn(authInfo));
  const serverFor = (authInfo: AuthInfo | undefined, era?: McpRequestContext["era"]) => {
    // Before 2026-07-28 a request does not name its client: its token does.
    const caller = authInfo === undefined ? undefined : { name: authInfo.clientId, version: "" };
    // Before 2026-07-28 a request stands alone, so there is nothing to send notices on.
    return createSdkV2Server(offerOf(authInfo), { caller, notices: era === "legacy" ? undefined : "listening" });
  };
  const handler = createMcpHandler(({ authInfo, era }) => serverFor(authInfo, era), { onerror, maxRequestBodySize: maxBodyBytes });
  const listeners = new Listeners({ offerFor: offerOf, serverFor, log });
  return {
    fetch: (request, options) => listeners.fetch(request, options) ?? handler.fetch(request, options),
    async close() {
      await listeners.close();
      await handler.close();
    },
  };
}

function webServer({ patience }: ServeHttpOptions, fetch: HttpApp["fetch"]): Server {
  const { headMs, requestMs, silenceMs } = { ...PATIENCE, ...patience };
  const limits = { headersTimeout: headMs, requestTimeout: requestMs, connectionsCheckingInterval: Math.min(5_000, headMs) };
  const server = createAdaptorServer({ fetch: fetch as never, serverOptions: limits }) as Server;
  server.maxConnections = MOST_CONNECTIONS;
  server.setTimeout(silenceMs);
  return server;
}

async function listen(server: Server, { host, port }: HttpSettings): Promise<URL> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "another program uses the port" : message;
    throw new WorkrailError("INVALID_INPUT", `The server cannot listen at ${bracketedHost(host)}:${port}: ${why}.`, {
      cause,
      details: { field: "http" },
      hint: "Choose another host:port with --http.",
    });
  }
  const { port: actual } = server.address() as AddressInfo;
  return new URL(`http://${bracketedHost(host)}:${actual}${ENDPOINT}`);
}

function verifier(
  tokenFile: TokenFile | undefined,
  { issuer, projectsClaim, tenantClaim }: HttpSettings,
  resource: URL,
): ((token: string) => Promise<Access | undefined>) | undefined {
  if (tokenFile === undefined && issuer === undefined) return undefined;
  const jwt = issuer === undefined ? undefined : new JwtVerifier(issuer, resource.href, { tenant: tenantClaim, projects: projectsClaim });
  return async (token) => (token.startsWith(TOKEN_PREFIX) ? tokenFile?.find(token) : jwt?.verify(token));
}
