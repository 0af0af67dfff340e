import type { Offer } from "./catalogue.ts";
import type { CheckedChannel } from "./checked-channel.ts";
import { isModern } from "./is-modern.ts";
import type { JsonRpcMessage } from "./json-rpc.ts";

/**
 * Serves an offer on one connection by a version of the MCP library. Resolves to a function that aborts running calls and closes the
 * connection.
 */
export type Adapter = (offer: Offer, opened: CheckedChannel) => Promise<() => Promise<void>>;

/** Loads the adapter that speaks the protocol of a client's first message, and no other: each library takes milliseconds to load. */
export async function adapterFor(first: JsonRpcMessage): Promise<Adapter> {
  return isModern(first) ? (await import("./sdk-v2-server.ts")).serveSdkV2 : (await import("./sdk-v1-server.ts")).serveSdkV1;
}
