import type { Log } from "@workrail/core";
import type { CatalogueRequest, Fields } from "../catalogue.ts";
import { ProtocolFault, RPC_ERROR } from "../json-rpc.ts";
import { type Notices, type Tell, WITH_NOTICES } from "./notices.ts";
import { MOST_URIS } from "./store-notices.ts";

/** Prefix of the methods that concern subscriptions. */
export const RESOURCES = "resources/";

/** Methods of the protocol before 2026-07-28 by which a client subscribes. */
export const SUBSCRIBING: readonly string[] = ["resources/subscribe", "resources/unsubscribe"];

/**
 * Subscriptions of one connection of the protocol before 2026-07-28. A client that lists resources is notified of changes of the list: there is
 * no other way to ask for that.
 */
export class LegacySubscriptions {
  readonly #notices: Notices;
  readonly #tell: Tell;
  readonly #log: Log;
  readonly #open = new Map<string, AbortController>();
  #list: AbortController | undefined;

  constructor(notices: Notices, tell: Tell, log: Log) {
    this.#notices = notices;
    this.#tell = tell;
    this.#log = log;
  }

  /** Answers a request of resources: one to subscribe or to unsubscribe itself, the others by `pass`. @throws ProtocolFault */
  async answer({ method, params }: CatalogueRequest, pass: () => Promise<Fields>): Promise<Fields> {
    if (method === "resources/list") this.#watchList();
    if (!SUBSCRIBING.includes(method)) return pass();
    const uri = params?.["uri"];
    if (typeof uri !== "string") throw new ProtocolFault(RPC_ERROR.invalidParams, `${method} needs the uri of a resource.`);
    if (method === "resources/subscribe") await this.#subscribe(uri);
    else this.#unsubscribe(uri);
    return {};
  }

  /** Ends every subscription. */
  close(): void {
    for (const controller of [...this.#open.values(), this.#list]) controller?.abort();
    this.#open.clear();
  }

  #watchList(): void {
    if (this.#list !== undefined) return;
    const list = new AbortController();
    this.#list = list;
    this.#notices.watch({ uris: [], list: true }, this.#tell, list.signal).catch((error: unknown) => {
      // The next listing tries again.
      this.#list = undefined;
      this.#log.debug("changes of the list of resources cannot be told", { error });
    });
  }

  async #subscribe(uri: string): Promise<void> {
    if (this.#open.has(uri)) return;
    if (this.#open.size >= MOST_URIS) {
      throw new ProtocolFault(
        RPC_ERROR.invalidParams,
        `A client subscribes to at most ${MOST_URIS} resources. Unsubscribe from some first.`,
      );
    }
    const controller = new AbortController();
    this.#open.set(uri, controller);
    try {
      await this.#notices.watch({ uris: [uri], list: false }, this.#tell, controller.signal);
    } catch (error) {
      this.#open.delete(uri);
      throw error;
    }
  }

  #unsubscribe(uri: string): void {
    this.#open.get(uri)?.abort();
    this.#open.delete(uri);
  }
}

/** Adds the capability of resource notices to an offer. */
export function withNotices(capabilities: Readonly<Record<string, object>>): Readonly<Record<string, object>> {
  return { ...capabilities, resources: { ...capabilities["resources"], ...WITH_NOTICES } };
}
