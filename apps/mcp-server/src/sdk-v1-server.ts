/* oxlint-disable unicorn/prefer-add-event-listener -- the library has properties for its callbacks, and no events */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  InitializeRequestSchema,
  JSONRPCRequestSchema,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Result,
} from "@modelcontextprotocol/sdk/types.js";
import { isWorkrailError, type Log } from "@workrail/core";
import { inOwnName } from "@workrail/process";
import { callTool, refuseTool } from "./call-tool.ts";
import { ProtocolFault, RPC_ERROR, shorten } from "./json-rpc.ts";
import { roundedIn } from "./rounded-integers.ts";
import { listResource, type Resource } from "./resource.ts";
import { listTool, type ToolListing } from "./tool-listing.ts";
import type { Tool } from "./tool.ts";
import { toToolFailure } from "./wire-errors.ts";

export interface SdkV1ServerOptions {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** Tells the model when to use the server; at most 1 KB. */
  readonly instructions: string;
  readonly tools: readonly Tool[];
  /** Lists only tools with read-only calls, and refuses the others. Default `false`. */
  readonly readOnly?: boolean;
  /** Default: none. */
  readonly resources?: readonly Resource[];
  readonly log: Log;
}

/** Serves tools and resources through version 1 of the MCP library (protocol up to 2025-11-25). */
export class SdkV1Server {
  readonly #server: Server;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #refused: ReadonlySet<string>;
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #log: Log;
  #listings: readonly ToolListing[] | undefined;
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: SdkV1ServerOptions) {
    const offered = options.readOnly === true ? options.tools.filter(canOnlyRead).map(onlyReading) : options.tools;
    this.#tools = new Map(offered.map((tool) => [tool.name, tool]));
    this.#refused = new Set(options.tools.map(({ name: each }) => each).filter((each) => !this.#tools.has(each)));
    this.#log = options.log;
    const { name, title, version, instructions, resources = [] } = options;
    this.#resources = new Map(resources.map((resource) => [resource.uri, resource]));
    const capabilities = { tools: {}, ...(resources.length === 0 ? {} : { resources: {} }) };
    this.#server = new Server({ name, title, version }, { capabilities, instructions });
    this.#server.onerror = (error) => this.#log.debug("protocol", { error });
    // Not `setRequestHandler`: its schemas copy the arguments, and their errors are worded for programmers.
    this.#server.fallbackRequestHandler = (request, extra) => this.#handle(request, extra.signal) as Promise<Result>;
  }

  async connect(transport: Transport): Promise<void> {
    await this.#server.connect(guard(transport));
  }

  /** Aborts running calls and closes the transport. */
  async close(): Promise<void> {
    await this.#server.close();
  }

  /** Resolves when no call is running, cancelled ones included. */
  async whenIdle(): Promise<void> {
    while (this.#running.size > 0) {
      await Promise.allSettled(this.#running);
    }
  }

  async #handle(request: JSONRPCRequest, signal: AbortSignal): Promise<unknown> {
    switch (request.method) {
      case "tools/list":
        this.#listings ??= [...this.#tools.values()].map(listTool);
        return { tools: this.#listings };
      case "tools/call":
        return this.#call(request.params ?? {}, signal);
      default:
        if (this.#resources.size > 0) return this.#handleResources(request);
        throw noSuchMethod(request);
    }
  }

  async #handleResources(request: JSONRPCRequest): Promise<unknown> {
    switch (request.method) {
      case "resources/list":
        return { resources: [...this.#resources.values()].map(listResource) };
      case "resources/templates/list":
        return { resourceTemplates: [] };
      case "resources/read":
        return this.#read(request.params ?? {});
      default:
        throw noSuchMethod(request);
    }
  }

  async #read({ uri }: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (typeof uri !== "string") throw new ProtocolFault(RPC_ERROR.invalidParams, "resources/read needs the uri of a resource.");
    const resource = this.#resources.get(uri);
    if (resource === undefined) {
      const known = [...this.#resources.keys()].join(", ");
      throw new ProtocolFault(RPC_ERROR.resourceNotFound, `Unknown resource ${shorten(uri)}. There is: ${known}.`, { uri });
    }
    const content = await this.#tracked(readResource(resource, this.#log));
    return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(content) }] };
  }

  async #call(params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    const { name } = params;
    if (typeof name !== "string") {
      throw new ProtocolFault(RPC_ERROR.invalidParams, "tools/call needs the name of a tool.");
    }
    const tool = this.#tools.get(name);
    if (this.#refused.has(name)) return refuseTool();
    if (tool === undefined) {
      const known = [...this.#tools.keys()].join(", ");
      throw new ProtocolFault(RPC_ERROR.invalidParams, `Unknown tool ${shorten(name)}. The tools of this server are: ${known}.`);
    }
    const given = params["arguments"];
    const call = { client: this.#server.getClientVersion(), signal, rounded: roundedIn(given) };
    return this.#tracked(callTool(tool, given, call, { log: this.#log, tools: [...this.#tools.values()] }));
  }

  async #tracked<T>(running: Promise<T>): Promise<T> {
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }
}

function noSuchMethod({ method }: JSONRPCRequest): ProtocolFault {
  return new ProtocolFault(RPC_ERROR.methodNotFound, `This server has no method ${shorten(method)}.`);
}

/**
 * Reads a resource. The protocol has no failed result for resources, so a failure is a protocol error with the same text and details as a
 * tool's.
 */
async function readResource(resource: Resource, log: Log): Promise<object> {
  try {
    return await resource.read();
  } catch (error) {
    if (!isWorkrailError(error)) log.error("a resource failed unexpectedly", { resource: resource.uri, error });
    const { text, ...data } = toToolFailure(error);
    throw new ProtocolFault(RPC_ERROR.internal, inOwnName(text, "agent"), data);
  }
}

/** Answers requests of a malformed shape, which the library would drop silently. */
function guard(transport: Transport): Transport {
  const guarded: Transport = {
    start: () => {
      transport.onclose = () => guarded.onclose?.();
      transport.onerror = (error) => guarded.onerror?.(error);
      transport.onmessage = (message, extra) => {
        const fault = findFault(message);
        if (fault === undefined) {
          guarded.onmessage?.(withoutTask(message), extra);
        } else {
          void transport.send(fault);
        }
      };
      return transport.start();
    },
    send: (message, options) => transport.send(message, options),
    close: () => transport.close(),
  };
  return guarded;
}

/** Removes the task request of a call. The protocol lets a server without tasks run such a call normally; the library would refuse it. */
function withoutTask(message: JSONRPCMessage): JSONRPCMessage {
  if (!("method" in message && "id" in message) || message.params?.["task"] === undefined) return message;
  const { task: _task, ...params } = message.params;
  return { ...message, params };
}

function findFault(message: JSONRPCMessage): JSONRPCMessage | undefined {
  if (!("method" in message && "id" in message)) {
    return undefined;
  }
  const schema = message.method === "initialize" ? InitializeRequestSchema : JSONRPCRequestSchema;
  const parsed = schema.safeParse(message);
  if (parsed.success) {
    return undefined;
  }
  const where = parsed.error.issues[0]?.path.join(".") ?? "params";
  return {
    jsonrpc: "2.0",
    id: message.id,
    error: {
      code: RPC_ERROR.invalidParams,
      message: `${where} of ${shorten(message.method)} is missing or is not what the protocol says.`,
    },
  };
}

function canOnlyRead({ annotations, canOnlyRead: can = annotations.readOnlyHint }: Tool): boolean {
  return can;
}

/** Marks a tool as read-only: the store refuses its calls that would write. */
function onlyReading(tool: Tool): Tool {
  return { ...tool, annotations: { ...tool.annotations, readOnlyHint: true } };
}
