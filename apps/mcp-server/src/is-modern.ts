import { isJsonObject } from "@workrail/core";
import type { JsonRpcMessage } from "./json-rpc.ts";

/** Key of a request's `_meta` that names the protocol version, from 2026-07-28 on. */
const PROTOCOL_VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

/** Tells whether the first message of a client is of protocol 2026-07-28 or later, which version 1 of the MCP library does not speak. */
export function isModern(first: JsonRpcMessage): boolean {
  if (!("method" in first)) return false;
  const meta = first.params?.["_meta"];
  return first.method === "server/discover" || (isJsonObject(meta) && PROTOCOL_VERSION_KEY in meta);
}
