/* oxlint-disable unicorn/prefer-add-event-listener -- the library has properties for its callbacks, and no events */
import { CLIENT_INFO_META_KEY, type Implementation, Server, specTypeSchemas, type Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Caller, Offer } from "./catalogue.ts";
import { type CheckedChannel, checkedChannel, type FindWrongPart } from "./checked-channel.ts";
import { isModern } from "./is-modern.ts";

/** Accepts any parameters, and passes on the same objects: schemas of the library copy the arguments of a call. */
const UNCHECKED = { "~standard": { version: 1, vendor: "workrail", validate: (value: unknown) => ({ value: value as Params }) } } as const;
type Params = Readonly<Record<string, unknown>>;

/** The low-level server without its own checks, whose errors are worded for programmers. */
class PlainServer extends Server {
  protected override _wrapHandler: Server["_wrapHandler"] = (_method, handler) => handler;
}

/**
 * Creates a server over version 2 of the MCP library (protocol 2026-07-28, and the earlier ones).
 *
 * @param caller the client of requests that do not name it. Default: unknown.
 */
export function createSdkV2Server(offer: Offer, caller?: Caller["client"]): Server {
  const { info, capabilities, instructions, log, methods } = offer;
  const server = new PlainServer(info, { capabilities, instructions });
  server.onerror = (error) => log.debug("protocol", { error });
  // No handler for all methods: over HTTP the library answers an unknown one with 404 only if nothing handles it.
  for (const method of methods) {
    server.setRequestHandler(method, { params: UNCHECKED }, (params, { mcpReq }) => {
      const { [CLIENT_INFO_META_KEY]: named } = (mcpReq.envelope ?? {}) as { readonly [CLIENT_INFO_META_KEY]?: Implementation };
      const client = named ?? server.getClientVersion() ?? caller;
      return offer.answer({ method, params: params as Params }, { client, signal: mcpReq.signal });
    });
  }
  return server;
}

/** Serves one connection. Resolves to a function that aborts running calls and closes the connection. */
export async function serveSdkV2(offer: Offer, opened: CheckedChannel): Promise<() => Promise<void>> {
  const transport = checkedChannel(opened, findWrongPart) as Transport;
  const onerror = (error: Error): void => offer.log.debug("protocol", { error });
  const create = (): Server => {
    const server = createSdkV2Server(offer);
    // Names the unknown method, where that has no status to change.
    server.fallbackRequestHandler = (request, { mcpReq }) => offer.answer(request, { client: undefined, signal: mcpReq.signal });
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
