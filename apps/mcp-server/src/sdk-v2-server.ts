/* oxlint-disable unicorn/prefer-add-event-listener -- the library has properties for its callbacks, and no events */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type Implementation,
  type McpRequestContext,
  SERVER_INFO_META_KEY,
  Server,
  type ServerContext,
  specTypeSchemas,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Caller, Fields, Offer } from "./catalogue.ts";
import { type CheckedChannel, checkedChannel, type FindWrongPart } from "./checked-channel.ts";
import { isModern } from "./is-modern.ts";
import { LegacySubscriptions, SUBSCRIBING, withNotices } from "./notices/legacy-subscriptions.ts";
import { listeningChannel } from "./notices/listening-channel.ts";
import type { Tell } from "./notices/notices.ts";
import type { Askable, Elicit } from "./question.ts";

/** Accepts any parameters, and passes on the same objects: schemas of the library copy the arguments of a call. */
const UNCHECKED = { "~standard": { version: 1, vendor: "workrail", validate: (value: unknown) => ({ value: value as Params }) } } as const;
type Params = Readonly<Record<string, unknown>>;

/** The low-level server without its own checks, whose errors are worded for programmers. */
class PlainServer extends Server {
  protected override _wrapHandler: Server["_wrapHandler"] = (_method, handler) => handler;
}

/** A server for one connection, or for one request. */
export interface Serving {
  /** The client of requests that do not name it. Default: unknown. */
  readonly caller?: Caller["client"];
  /** `subscribing`: the client subscribes on this connection. `listening`: it listens, which is handled apart. Default: no notices. */
  readonly notices?: "subscribing" | "listening" | undefined;
}

/** Creates a server over version 2 of the MCP library (protocol 2026-07-28, and the earlier ones). */
export function createSdkV2Server(offer: Offer, { caller, notices: way }: Serving = {}): Server {
  const { info, instructions, log } = offer;
  const notices = way === undefined ? undefined : offer.notices;
  const capabilities = notices === undefined ? offer.capabilities : withNotices(offer.capabilities);
  const server = new PlainServer(info, { capabilities, instructions });
  server.onerror = (error) => log.debug("protocol", { error });
  const tell: Tell = (notice) => server.notification(notice).catch((error: unknown) => log.debug("protocol", { error }));
  const subscriptions = notices !== undefined && way === "subscribing" ? new LegacySubscriptions(notices, tell, log) : undefined;
  if (subscriptions !== undefined) server.onclose = () => subscriptions.close();
  const methods = subscriptions === undefined ? offer.methods : [...offer.methods, ...SUBSCRIBING];
  // No handler for all methods: over HTTP the library answers an unknown one with 404 only if nothing handles it.
  for (const method of methods) {
    server.setRequestHandler(method, { params: UNCHECKED }, (params, { mcpReq }) => {
      const { [CLIENT_INFO_META_KEY]: named } = (mcpReq.envelope ?? {}) as { readonly [CLIENT_INFO_META_KEY]?: Implementation };
      const client = named ?? server.getClientVersion() ?? caller;
      const request = { method, params: params as Params };
      const answer = () =>
        stamped(
          offer,
          mcpReq,
          offer.answer(request, {
            id: mcpReq.id,
            client,
            signal: mcpReq.signal,
            notify: mcpReq.notify,
            capabilities: capabilitiesOf(server, mcpReq),
            ...askableBy(mcpReq),
          }),
        );
      return subscriptions === undefined ? answer() : subscriptions.answer(request, answer);
    });
  }
  return server;
}

/** Names the server in a result, as 2026-07-28 wants. Without its icons, which the library would repeat in every result. */
async function stamped({ info }: Offer, { envelope }: ServerContext["mcpReq"], answer: Promise<Fields>): Promise<Fields> {
  const result = await answer;
  if (envelope === undefined || info.icons === undefined) return result;
  const { icons: _icons, ...named } = info;
  return { ...result, _meta: { ...(result["_meta"] as Fields | undefined), [SERVER_INFO_META_KEY]: named } };
}

/** From 2026-07-28 on each request names what its client can do. */
function capabilitiesOf(server: Server, { envelope }: ServerContext["mcpReq"]): ClientCapabilities | undefined {
  if (envelope === undefined) return server.getClientCapabilities();
  return (envelope as { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities })[CLIENT_CAPABILITIES_META_KEY];
}

/** Returns the way in which a request's client can be asked: from 2026-07-28 on it calls again with the answers. */
function askableBy({ envelope, inputResponses = {}, elicitInput, signal }: ServerContext["mcpReq"]): Askable {
  if (envelope !== undefined) return { answers: inputResponses };
  const elicit: Elicit = (params, timeout) => elicitInput(params as ElicitRequestFormParams, { timeout, signal });
  return { elicit };
}

/** Serves one connection. Resolves to a function that aborts running calls and closes the connection. */
export async function serveSdkV2(offer: Offer, opened: CheckedChannel): Promise<() => Promise<void>> {
  const { notices } = offer;
  const checked = checkedChannel(opened, findWrongPart);
  const transport = (notices === undefined ? checked : listeningChannel(checked, notices)) as Transport;
  const onerror = (error: Error): void => offer.log.debug("protocol", { error });
  const create = ({ era }: McpRequestContext): Server => {
    const server = createSdkV2Server(offer, { notices: era === "legacy" ? "subscribing" : "listening" });
    // Names the unknown method, where that has no status to change.
    server.fallbackRequestHandler = (request, { mcpReq }) => offer.answer(request, { client: undefined, ...mcpReq });
    return server;
  };
  const connection = serveStdio(create, { transport, onerror });
  return () => connection.close();
}

/** Finds the wrong part by the schemas of the library. */
export const findWrongPart: FindWrongPart = (message) => {
  // From 2026-07-28 on there is no such method.
  const isInitialize = "method" in message && message.method === "initialize" && !isModern(message);
  const schema = isInitialize ? specTypeSchemas.InitializeRequest : specTypeSchemas.JSONRPCRequest;
  const checked = schema["~standard"].validate(message);
  if (checked instanceof Promise || checked.issues === undefined) return undefined;
  return checked.issues[0]?.path?.map((part) => (typeof part === "object" ? part.key : part)).join(".") ?? "params";
};
