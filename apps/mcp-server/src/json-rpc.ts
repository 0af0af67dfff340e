import { isJsonObject } from "@workrail/core";

/** Identifies a JSON-RPC request; MCP allows strings and integers, never null. */
export type RequestId = string | number;

/** A JSON-RPC 2.0 message that has passed {@link readMessage}. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse | JsonRpcErrorResponse;

export interface JsonRpcRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: string;
  params?: Record<string, unknown>;
}

export interface JsonRpcNotification {
  jsonrpc: "2.0";
  method: string;
  params?: Record<string, unknown>;
}

export interface JsonRpcResponse {
  jsonrpc: "2.0";
  id: RequestId;
  result: Record<string, unknown>;
}

export interface JsonRpcErrorResponse {
  jsonrpc: "2.0";
  id: RequestId;
  error: { code: number; message: string; data?: unknown };
}

/** JSON-RPC 2.0 error codes that this server uses. */
export const RPC_ERROR = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Defined by MCP. */
  resourceNotFound: -32002,
} as const;

/** A protocol error, answered as a JSON-RPC error instead of a tool result. */
export class ProtocolFault extends Error {
  override readonly name = "ProtocolFault";
  readonly code: number;
  /** Details for programs. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A message that cannot be delivered. `id` is undefined when no request waits for an answer. */
export interface Rejection {
  readonly id: RequestId | undefined;
  readonly code: number;
  readonly message: string;
  /** False for a notification: JSON-RPC forbids answering it. */
  readonly isAnswerable: boolean;
}

export type ReadResult =
  | { readonly kind: "message"; readonly message: JsonRpcMessage }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** Checks a parsed value: returns a message to deliver, or the reason for rejecting it. */
export function readMessage(value: unknown): ReadResult {
  if (Array.isArray(value)) {
    return rejected(undefined, "Batches are not supported. Send one message at a time.");
  }
  if (!isJsonObject(value)) {
    return rejected(undefined, "A message must be a JSON object.");
  }
  const hasId = Object.hasOwn(value, "id");
  const id = isRequestId(value["id"]) ? value["id"] : undefined;
  if (hasId && id === undefined) {
    return rejected(undefined, "The id of a message must be a string or an integer.");
  }
  if (value["jsonrpc"] !== "2.0") {
    return rejected(id, 'A message must carry "jsonrpc": "2.0".');
  }
  const method = value["method"];
  if (method === undefined) {
    return readResponse(value, id);
  }
  if (typeof method !== "string") {
    return rejected(id, "The method of a message must be a string.");
  }
  const params = value["params"];
  if (params !== undefined && !isJsonObject(params)) {
    return {
      kind: "rejected",
      rejection: {
        id,
        code: RPC_ERROR.invalidParams,
        message: `The params of ${shorten(method)} must be an object.`,
        isAnswerable: hasId,
      },
    };
  }
  // Rebuilt, because later checks would refuse unknown members.
  const message = {
    jsonrpc: "2.0" as const,
    ...(id !== undefined && { id }),
    method,
    ...(params !== undefined && { params }),
  };
  return { kind: "message", message };
}

function readResponse(value: Record<string, unknown>, id: RequestId | undefined): ReadResult {
  const isResponse = id !== undefined && (isJsonObject(value["result"]) || isJsonObject(value["error"]));
  return isResponse
    ? { kind: "message", message: value as unknown as JsonRpcMessage }
    : rejected(id, "A message must have a method, or be the response to a request.");
}

function rejected(id: RequestId | undefined, message: string): ReadResult {
  return {
    kind: "rejected",
    rejection: { id, code: RPC_ERROR.invalidRequest, message, isAnswerable: true },
  };
}

/** Shortens and quotes a name from outside for an error text. */
export function shorten(name: string): string {
  return name.length <= 64 ? JSON.stringify(name) : `${JSON.stringify(name.slice(0, 64))}...`;
}
