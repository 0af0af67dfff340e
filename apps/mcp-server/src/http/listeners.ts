import { type AuthInfo, createMcpHandler, type Server, type ServerEvent, type ServerEventBus } from "@modelcontextprotocol/server";
import type { Log } from "@workrail/core";
import type { Offer } from "../catalogue.ts";
import { type JsonRpcMessage, ProtocolFault, RPC_ERROR } from "../json-rpc.ts";
import { type Listening, listeningOf, refusedListening } from "../notices/listening.ts";
import type { Notice, Notices, Tell } from "../notices/notices.ts";
import type { McpHandler, McpRequestOptions } from "./http-app.ts";

/** Most streams of notices at a time: fewer than the connections, so that calls always find one. */
const MOST_STREAMS = 256;
/** Most streams of one caller, where callers have tokens. */
const MOST_OF_A_CALLER = 16;

export interface ListenersOptions {
  readonly offerFor: (authInfo: AuthInfo | undefined) => Offer;
  readonly serverFor: (authInfo: AuthInfo | undefined) => Server;
  readonly log: Log;
}

/** Streams of notices to clients of protocol 2026-07-28. The library writes them; each has a watch of its own. */
export class Listeners {
  readonly #options: ListenersOptions;
  readonly #streams = new Map<McpHandler, string | undefined>();

  constructor(options: ListenersOptions) {
    this.#options = options;
  }

  /** Answers a request to listen with a stream; `undefined` for another request, or when there are no notices. */
  fetch(request: Request, options: McpRequestOptions): Promise<Response> | undefined {
    if (options.parsedBody === undefined) return undefined;
    const { notices } = this.#options.offerFor(options.authInfo);
    const asked = notices === undefined ? undefined : listeningOf(options.parsedBody as JsonRpcMessage, notices);
    return asked === undefined || notices === undefined ? undefined : this.#listen(request, options, { ...asked, notices });
  }

  /** Tells every client that its stream ends, and ends it. */
  async close(): Promise<void> {
    await Promise.all([...this.#streams.keys()].map((stream) => stream.close()));
  }

  async #listen(
    request: Request,
    options: McpRequestOptions,
    { request: asked, wanted, notices }: Listening & { readonly notices: Notices },
  ): Promise<Response> {
    const { serverFor, log } = this.#options;
    const caller = options.authInfo?.clientId;
    const ofCaller = [...this.#streams.values()].filter((each) => each === caller).length;
    if (this.#streams.size >= MOST_STREAMS || (caller !== undefined && ofCaller >= MOST_OF_A_CALLER)) {
      const limit = "There are as many streams of notices as can be. End one first.";
      return Response.json(refusedListening(asked, new ProtocolFault(RPC_ERROR.invalidRequest, limit)));
    }
    const stream = new NoticeStream(options.isAllowed);
    const handler = createMcpHandler(({ authInfo }) => serverFor(authInfo), {
      bus: stream,
      onerror: (error) => log.debug("protocol", { error }),
    });
    stream.onend = () => {
      this.#streams.delete(handler);
      void handler.close();
    };
    this.#streams.set(handler, caller);
    try {
      await notices.watch(wanted, stream.tell, stream.signal);
      const response = await handler.fetch(request, { ...options, parsedBody: asked });
      // Refused by the library.
      if (!stream.isOpen) stream.end();
      return stream.paced(response);
    } catch (error) {
      stream.end();
      if (error instanceof ProtocolFault) return Response.json(refusedListening(asked, error));
      throw error;
    }
  }
}

/** Carries notices to one stream of the library, at the pace at which the client reads. */
class NoticeStream implements ServerEventBus {
  /** Called once, at the end. */
  onend: () => void = () => {};
  readonly #isAllowed: McpRequestOptions["isAllowed"];
  readonly #end = new AbortController();
  readonly #unread: (() => void)[] = [];
  #listener: ((event: ServerEvent) => void) | undefined;

  constructor(isAllowed: McpRequestOptions["isAllowed"]) {
    this.#isAllowed = isAllowed;
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get isOpen(): boolean {
    return this.#listener !== undefined;
  }

  publish(): void {}

  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#listener = listener;
    return () => this.end();
  }

  end(): void {
    if (this.signal.aborted) return;
    this.#end.abort();
    this.#listener = undefined;
    for (const wake of this.#unread) wake();
    this.onend();
  }

  /** Sends a notice, unless the caller's right ended meanwhile. Resolves when the client can take another. */
  readonly tell: Tell = async (notice) => {
    if ((await this.#isAllowed?.()) === false) this.end();
    const listener = this.#listener;
    if (listener === undefined) return;
    const read = Promise.withResolvers<void>();
    this.#unread.push(read.resolve);
    listener(eventOf(notice));
    await read.promise;
  };

  /** Returns the response, whose body notes what the client reads. */
  paced(response: Response): Response {
    if (response.body === null || !this.isOpen) return response;
    let isAcknowledged = false;
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (frame, controller) => {
          controller.enqueue(frame);
          // Comments keep the connection alive, and are not notices.
          if (frame[0] === COLON) return;
          if (isAcknowledged) this.#unread.shift()?.();
          isAcknowledged = true;
        },
      }),
    );
    return new Response(body, response);
  }
}

const COLON = 0x3a;

function eventOf(notice: Notice): ServerEvent {
  return "params" in notice ? { kind: "resource_updated", uri: notice.params.uri } : { kind: "resources_list_changed" };
}
