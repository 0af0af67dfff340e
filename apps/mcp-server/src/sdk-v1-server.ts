/* oxlint-disable unicorn/prefer-add-event-listener -- the library has properties for its callbacks, and no events */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitResultSchema, InitializeRequestSchema, JSONRPCRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Offer } from "./catalogue.ts";
import { type CheckedChannel, checkedChannel, type FindWrongPart } from "./checked-channel.ts";
import { LegacySubscriptions, RESOURCES, withNotices } from "./notices/legacy-subscriptions.ts";
import type { Tell } from "./notices/notices.ts";
import type { Elicit } from "./question.ts";

/**
 * Creates a server over version 1 of the MCP library (protocol up to 2025-11-25).
 *
 * @param hasNotices true for a connection that stays, on which notices can be sent.
 */
export function createSdkV1Server(offer: Offer, hasNotices = false): Server {
  const { info, instructions, notices, log } = offer;
  const capabilities = hasNotices && notices !== undefined ? withNotices(offer.capabilities) : offer.capabilities;
  const server = new Server(info, { capabilities, instructions });
  server.onerror = (error) => log.debug("protocol", { error });
  // Not `setRequestHandler`: its schemas copy the arguments, and their errors are worded for programmers.
  server.fallbackRequestHandler = (request, { requestId: id, signal, sendNotification: notify, sendRequest }) => {
    const elicit: Elicit = (params, timeout) =>
      sendRequest({ method: "elicitation/create", params }, ElicitResultSchema, { timeout, signal });
    const caller = { id, client: server.getClientVersion(), signal, notify, capabilities: server.getClientCapabilities(), elicit };
    const isOfSubscriptions = subscriptions !== undefined && request.method.startsWith(RESOURCES);
    return isOfSubscriptions ? subscriptions.answer(request, () => offer.answer(request, caller)) : offer.answer(request, caller);
  };
  const tell: Tell = (notice) => server.notification(notice).catch((error: unknown) => log.debug("protocol", { error }));
  const subscriptions = hasNotices && notices !== undefined ? new LegacySubscriptions(notices, tell, log) : undefined;
  if (subscriptions !== undefined) server.onclose = () => subscriptions.close();
  return server;
}

/** Serves one connection. Resolves to a function that aborts running calls and closes the connection. */
export async function serveSdkV1(offer: Offer, opened: CheckedChannel): Promise<() => Promise<void>> {
  const server = createSdkV1Server(offer, true);
  await server.connect(checkedChannel(opened, findWrongPart) as Transport);
  return () => server.close();
}

const findWrongPart: FindWrongPart = (message) => {
  const schema = "method" in message && message.method === "initialize" ? InitializeRequestSchema : JSONRPCRequestSchema;
  const parsed = schema.safeParse(message);
  return parsed.success ? undefined : (parsed.error.issues[0]?.path.join(".") ?? "params");
};
