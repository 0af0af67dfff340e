/* oxlint-disable unicorn/prefer-add-event-listener -- a channel has properties for its callbacks, and no events */
import { isJsonObject } from "@workrail/core";
import { type JsonRpcMessage, type JsonRpcRequest, ProtocolFault, type RequestId, RPC_ERROR } from "../json-rpc.ts";
import type { MessageChannel } from "../message-channel.ts";
import type { Notices, Tell } from "./notices.ts";
import { type Listening, listeningOf, refusedListening } from "./listening.ts";

/** Key of `_meta` that names the subscription of a notice. Not taken from the library, which is loaded apart. */
const SUBSCRIPTION_ID_META_KEY = "io.modelcontextprotocol/subscriptionId";
/** Most subscriptions of one connection at a time. */
const MOST_LISTENS = 16;

/** A subscription of the connection. */
interface Open {
  readonly end: AbortController;
  /** Resolves when the client is notified that the subscription began. */
  readonly acknowledged: PromiseWithResolvers<void>;
}

/**
 * Connects a channel with notices, for clients of protocol 2026-07-28. The library acknowledges `subscriptions/listen` and ends it; here the
 * watch begins before that, and its notices are sent.
 */
export function listeningChannel(channel: MessageChannel, notices: Notices): MessageChannel {
  const open = new Map<RequestId, Open>();

  const end = (id: RequestId): void => {
    open.get(id)?.end.abort();
    open.delete(id);
  };

  const listen = async (request: JsonRpcRequest, asked: Listening): Promise<void> => {
    const { id } = request;
    const subscription: Open = { end: new AbortController(), acknowledged: Promise.withResolvers() };
    open.set(id, subscription);
    const tell: Tell = async (notice) => {
      await subscription.acknowledged.promise;
      const params = { ...("params" in notice ? notice.params : {}), _meta: { [SUBSCRIPTION_ID_META_KEY]: id } };
      if (!subscription.end.signal.aborted) await channel.send({ jsonrpc: "2.0", method: notice.method, params });
    };
    try {
      await notices.watch(asked.wanted, tell, subscription.end.signal);
    } catch (error) {
      end(id);
      if (!(error instanceof ProtocolFault)) throw error;
      await channel.send(refusedListening(request, error));
      return;
    }
    // Cancelled meanwhile: such a request gets no answer.
    if (!subscription.end.signal.aborted) connected.onmessage?.(asked.request);
  };

  const receive = (message: JsonRpcMessage): void => {
    const asked = listeningOf(message, notices);
    if (asked !== undefined && open.size >= MOST_LISTENS) {
      const limit = `A connection has at most ${MOST_LISTENS} subscriptions. Cancel one first.`;
      void channel.send(refusedListening(asked.request, new ProtocolFault(RPC_ERROR.invalidRequest, limit)));
    } else if (asked !== undefined && !open.has(asked.request.id)) void listen(asked.request, asked);
    else {
      if ("method" in message && message.method === "notifications/cancelled") end(message.params?.["requestId"] as RequestId);
      connected.onmessage?.(message);
    }
  };

  const connected: MessageChannel = {
    async start() {
      channel.onclose = () => {
        for (const id of open.keys()) end(id);
        connected.onclose?.();
      };
      channel.onerror = (error) => connected.onerror?.(error);
      channel.onmessage = receive;
      await channel.start();
    },
    async send(message) {
      if ("method" in message) {
        await channel.send(message);
        if (message.method === "notifications/subscriptions/acknowledged")
          open.get(subscriptionIdOf(message.params))?.acknowledged.resolve();
        return;
      }
      // The library refuses the subscription, or ends it.
      end(message.id);
      await channel.send(message);
    },
    close: () => channel.close(),
  };
  return connected;
}

function subscriptionIdOf(params: Record<string, unknown> | undefined): RequestId {
  const meta = params?.["_meta"];
  return (isJsonObject(meta) ? meta[SUBSCRIPTION_ID_META_KEY] : undefined) as RequestId;
}
