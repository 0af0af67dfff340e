import { isJsonObject } from "@workrail/core";
import { type JsonRpcErrorResponse, type JsonRpcMessage, type JsonRpcRequest, type ProtocolFault, RPC_ERROR } from "../json-rpc.ts";
import type { Notices, Wanted } from "./notices.ts";

/** A request to listen to changes. */
export interface Listening {
  /** The request without the resources that are unknown, which the acknowledgement then lacks. */
  readonly request: JsonRpcRequest;
  readonly wanted: Wanted;
}

/** Reads a request of `subscriptions/listen`; `undefined` for another message, and for a malformed one, which the library refuses. */
export function listeningOf(message: JsonRpcMessage, notices: Notices): Listening | undefined {
  if (!("method" in message && "id" in message) || message.method !== "subscriptions/listen") return undefined;
  const asked = message.params?.["notifications"];
  if (!isJsonObject(asked)) return undefined;
  const { resourceSubscriptions: given, resourcesListChanged: list } = asked;
  if (given !== undefined && !(Array.isArray(given) && given.every((uri) => typeof uri === "string"))) return undefined;
  const uris = given === undefined ? [] : notices.known(given);
  const notifications = { ...asked, ...(given === undefined ? {} : { resourceSubscriptions: uris }) };
  return { request: { ...message, params: { ...message.params, notifications } }, wanted: { uris, list: list === true } };
}

/** Returns the answer that refuses a request to listen. In its protocol an unknown resource has no code of its own. */
export function refusedListening({ id }: JsonRpcRequest, { code, message, data }: ProtocolFault): JsonRpcErrorResponse {
  const told = code === RPC_ERROR.resourceNotFound ? RPC_ERROR.invalidParams : code;
  return { jsonrpc: "2.0", id, error: { code: told, message, ...(data === undefined ? {} : { data }) } };
}
