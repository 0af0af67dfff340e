/* oxlint-disable unicorn/prefer-add-event-listener -- a channel has properties for its callbacks, and no events */
import { adapterFor } from "./adapter.ts";
import { Catalogue, type CatalogueOptions } from "./catalogue.ts";
import { createDrain, drainOnSignals } from "./drain.ts";
import type { JsonRpcMessage } from "./json-rpc.ts";
import type { MessageChannel } from "./message-channel.ts";
import { StdioTransport } from "./stdio-transport.ts";

export interface ServeStdioOptions extends CatalogueOptions {
  /** Steps that run last, in order, when the server stops, such as closing the store. */
  readonly close?: readonly (() => void | Promise<void>)[];
  readonly maxMessageBytes?: number;
  /** Default: by the protocol of the first message. */
  readonly adapterFor?: typeof adapterFor;
}

/** Serves the tools on stdin and stdout until the client leaves or a signal arrives, then ends the process. */
export function serveStdio({ close = [], maxMessageBytes, adapterFor: choose = adapterFor, ...options }: ServeStdioOptions): void {
  const { log } = options;
  const transport = new StdioTransport(maxMessageBytes === undefined ? {} : { maxMessageBytes });
  const catalogue = new Catalogue(options);
  let closeConnection: () => Promise<void> = () => transport.close();
  const drain = createDrain({
    stop: () => transport.stopReading(),
    whenIdle: async () => {
      await transport.whenIdle();
      await catalogue.whenIdle();
    },
    close: [() => closeConnection(), ...close],
    log,
  });
  drainOnSignals(drain, log);
  transport.onend = drain;
  // Until a library takes over.
  transport.onerror = (error) => log.debug("protocol", { error });
  const connect = async (): Promise<void> => {
    const waiting = await firstMessages(transport);
    const serve = await choose(waiting[0]);
    closeConnection = await serve(catalogue, { channel: transport, waiting });
  };
  connect().catch((error: unknown) => {
    log.error("cannot serve", { error });
    drain("cannot serve", 1);
  });
}

/** Starts a channel. Resolves at its first message to a list that grows with each further one, until another reads the channel. */
function firstMessages(channel: MessageChannel): Promise<readonly [JsonRpcMessage, ...JsonRpcMessage[]]> {
  return new Promise((resolve, reject) => {
    const messages: JsonRpcMessage[] = [];
    channel.onmessage = (message) => {
      messages.push(message);
      resolve(messages as [JsonRpcMessage]);
    };
    channel.start().catch(reject);
  });
}
