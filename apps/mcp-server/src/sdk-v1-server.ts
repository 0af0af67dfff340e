/* oxlint-disable unicorn/prefer-add-event-listener -- the library has properties for its callbacks, and no events */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { InitializeRequestSchema, JSONRPCRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Offer } from "./catalogue.ts";
import { type CheckedChannel, checkedChannel, type FindWrongPart } from "./checked-channel.ts";

/** Creates a server over version 1 of the MCP library (protocol up to 2025-11-25). */
export function createSdkV1Server(offer: Offer): Server {
  const { info, capabilities, instructions, log } = offer;
  const server = new Server(info, { capabilities, instructions });
  server.onerror = (error) => log.debug("protocol", { error });
  // Not `setRequestHandler`: its schemas copy the arguments, and their errors are worded for programmers.
  server.fallbackRequestHandler = (request, { signal }) => offer.answer(request, { client: server.getClientVersion(), signal });
  return server;
}

/** Serves one connection. Resolves to a function that aborts running calls and closes the connection. */
export async function serveSdkV1(offer: Offer, opened: CheckedChannel): Promise<() => Promise<void>> {
  const server = createSdkV1Server(offer);
  await server.connect(checkedChannel(opened, findWrongPart) as Transport);
  return () => server.close();
}

const findWrongPart: FindWrongPart = (message) => {
  const schema = "method" in message && message.method === "initialize" ? InitializeRequestSchema : JSONRPCRequestSchema;
  const parsed = schema.safeParse(message);
  return parsed.success ? undefined : (parsed.error.issues[0]?.path.join(".") ?? "params");
};
