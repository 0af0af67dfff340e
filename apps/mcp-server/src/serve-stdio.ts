import { createDrain, drainOnSignals } from "./drain.ts";
import { SdkV1Server, type SdkV1ServerOptions } from "./sdk-v1-server.ts";
import { StdioTransport } from "./stdio-transport.ts";

export interface ServeStdioOptions extends SdkV1ServerOptions {
  /** Steps that run last, in order, when the server stops, such as closing the store. */
  readonly close?: readonly (() => void | Promise<void>)[];
  readonly maxMessageBytes?: number;
}

/** Serves the tools on stdin and stdout until the client leaves or a signal arrives, then ends the process. */
export async function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { close = [], maxMessageBytes, log, ...server } = options;
  const transport = new StdioTransport(maxMessageBytes === undefined ? {} : { maxMessageBytes });
  const sdkServer = new SdkV1Server({ ...server, log });
  const drain = createDrain({
    stop: () => transport.stopReading(),
    whenIdle: async () => {
      await transport.whenIdle();
      await sdkServer.whenIdle();
    },
    close: [() => sdkServer.close(), ...close],
    log,
  });
  drainOnSignals(drain, log);
  transport.onend = drain;
  await sdkServer.connect(transport);
}
