/* oxlint-disable unicorn/prefer-add-event-listener -- the libraries have properties for their callbacks, and no events */
import { type JsonRpcMessage, RPC_ERROR, shorten } from "./json-rpc.ts";
import type { MessageChannel } from "./message-channel.ts";

/** Finds the part of a request that the protocol does not allow, as a path such as `params.clientInfo`. */
export type FindWrongPart = (request: JsonRpcMessage) => string | undefined;

export interface CheckedChannel {
  /** A channel that has started: its first messages were read to choose the library. */
  readonly channel: MessageChannel;
  /** These messages, which are delivered first. */
  readonly waiting: readonly JsonRpcMessage[];
}

/** Answers requests of a malformed shape, which the libraries would drop silently. */
export function checkedChannel({ channel, waiting }: CheckedChannel, findWrongPart: FindWrongPart): MessageChannel {
  const deliver = (message: JsonRpcMessage): void => {
    const { fault, checkedMessage } = checkMessage(message, findWrongPart);
    if (fault === undefined) checked.onmessage?.(checkedMessage);
    else void channel.send(fault);
  };
  const checked: MessageChannel = {
    async start() {
      channel.onclose = () => checked.onclose?.();
      channel.onerror = (error) => checked.onerror?.(error);
      channel.onmessage = deliver;
      for (const message of waiting) deliver(message);
    },
    send: (message) => channel.send(message),
    close: () => channel.close(),
  };
  return checked;
}

/** A message to deliver, or the answer that refuses it. */
export type CheckedMessage =
  | { readonly fault: undefined; readonly checkedMessage: JsonRpcMessage }
  | { readonly fault: JsonRpcMessage; readonly checkedMessage?: undefined };

/** Checks the shape of a message. */
export function checkMessage(message: JsonRpcMessage, findWrongPart: FindWrongPart): CheckedMessage {
  if (!("method" in message && "id" in message)) return { fault: undefined, checkedMessage: message };
  const where = findWrongPart(message);
  if (where !== undefined) {
    const text = `${where} of ${shorten(message.method)} is missing or is not what the protocol says.`;
    return { fault: { jsonrpc: "2.0", id: message.id, error: { code: RPC_ERROR.invalidParams, message: text } } };
  }
  if (message.params?.["task"] === undefined) return { fault: undefined, checkedMessage: message };
  // The protocol lets a server without tasks run such a call normally; a library would refuse it.
  const { task: _task, ...params } = message.params;
  return { fault: undefined, checkedMessage: { ...message, params } };
}
