import type { JsonRpcMessage } from "./json-rpc.ts";

/** A connection that carries messages in both directions, in the form that every MCP library accepts as its transport. */
export interface MessageChannel {
  onmessage?: ((message: JsonRpcMessage) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  /** Begins to deliver messages. Called by the library after it has set the callbacks. */
  start(): Promise<void>;
  send(message: JsonRpcMessage): Promise<void>;
  close(): Promise<void>;
}
