/* oxlint-disable unicorn/prefer-add-event-listener -- the library has properties for its callbacks, and no events */
import { CLIENT_INFO_META_KEY, type Implementation, Server, specTypeSchemas, type Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Catalogue } from "./catalogue.ts";
import { type CheckedChannel, checkedChannel, type FindWrongPart } from "./checked-channel.ts";

/** Creates a server over version 2 of the MCP library (protocol 2026-07-28, and the earlier ones). */
export function createSdkV2Server(catalogue: Catalogue): Server {
  const { info, capabilities, instructions, log } = catalogue;
  // Not `McpServer`: it validates arguments and results against schemas of its own, and its errors are worded for programmers.
  const server = new Server(info, { capabilities, instructions });
  server.onerror = (error) => log.debug("protocol", { error });
  server.fallbackRequestHandler = (request, { mcpReq }) => {
    const { [CLIENT_INFO_META_KEY]: named } = (mcpReq.envelope ?? {}) as { readonly [CLIENT_INFO_META_KEY]?: Implementation };
    const client = named ?? server.getClientVersion();
    return catalogue.answer(request, { client, signal: mcpReq.signal });
  };
  return server;
}

/** Serves one connection. Resolves to a function that aborts running calls and closes the connection. */
export async function serveSdkV2(catalogue: Catalogue, opened: CheckedChannel): Promise<() => Promise<void>> {
  const transport = checkedChannel(opened, findWrongPart) as Transport;
  const onerror = (error: Error): void => catalogue.log.debug("protocol", { error });
  const connection = serveStdio(() => createSdkV2Server(catalogue), { transport, onerror });
  return () => connection.close();
}

const findWrongPart: FindWrongPart = (message) => {
  const schema =
    "method" in message && message.method === "initialize" ? specTypeSchemas.InitializeRequest : specTypeSchemas.JSONRPCRequest;
  const checked = schema["~standard"].validate(message);
  if (checked instanceof Promise || checked.issues === undefined) return undefined;
  return checked.issues[0]?.path?.map((part) => (typeof part === "object" ? part.key : part)).join(".") ?? "params";
};
