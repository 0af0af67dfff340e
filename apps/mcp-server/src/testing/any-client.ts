import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { type Command, COMPILED } from "./raw-client.ts";

const ASKABLE = { elicitation: { form: {} } };
const INFO = { name: "test-client", version: "9.9" };

/** The result of a call, in the fields that tests read. */
export interface AnyResult {
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A call, what to do with each report of its progress, and the signal that cancels it. */
export interface LongCall {
  readonly name: string;
  readonly given?: Readonly<Record<string, unknown>>;
  readonly onProgress: (progress: Readonly<Record<string, unknown>>) => void;
  readonly signal?: AbortSignal;
}

/** A client of either version of the MCP library. */
export interface AnyClient {
  readonly protocol: () => string | undefined;
  readonly server: () => unknown;
  readonly capabilities: () => unknown;
  readonly instructions: () => string | undefined;
  listTools(): Promise<readonly { readonly name: string }[]>;
  callTool(name: string, given?: Readonly<Record<string, unknown>>, more?: Readonly<Record<string, unknown>>): Promise<AnyResult>;
  /** Calls a slow tool, with actions of the client during the call. */
  callLongTool(call: LongCall): Promise<AnyResult>;
  readResource(uri: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Clients by name, each with the mode in which it chooses the protocol. */
export const CLIENTS = {
  "v1 client": undefined,
  "v2 client of the old protocol": "legacy",
  "v2 client that asks": "auto",
  "v2 client of 2026-07-28": { pin: "2026-07-28" },
} as const;
export type ClientName = keyof typeof CLIENTS;

/** True for the clients that can talk with a server of protocol 2025-11-25. */
export function speaksOldProtocol(name: ClientName): boolean {
  return typeof CLIENTS[name] !== "object";
}

/** Connects a client to a program over its standard streams. */
export async function connectStdio(name: ClientName, command: Command, env: Readonly<Record<string, string>> = {}): Promise<AnyClient> {
  const server = { command: command.command, args: [...command.args], env: { ...COMPILED, ...env }, stderr: "ignore" as const };
  return connect(name, { v1: () => new StdioV1(server), v2: () => new StdioV2(server) });
}

/** Connects a client to a server on HTTP. */
export async function connectHttp(name: ClientName, url: URL, token?: string): Promise<AnyClient> {
  const options = token === undefined ? {} : { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
  return connect(name, { v1: () => new HttpV1(url, options), v2: () => new HttpV2(url, options) });
}

/** Where an askable client connects to. */
export type Place =
  | { readonly command: Command; readonly env: Readonly<Record<string, string>>; readonly url?: undefined }
  | { readonly url: URL };

/** Result of a client's question to its person; a promise that never resolves is a person who is away. */
export type OnQuestion = (params: unknown) => Promise<{ readonly action: string; readonly content?: Readonly<Record<string, unknown>> }>;

/** Connects a client that can ask its person. */
export async function connectAskable(name: ClientName, place: Place, onQuestion: OnQuestion): Promise<AnyClient> {
  if (place.url !== undefined) {
    const { url } = place;
    return connect(name, { v1: () => new HttpV1(url), v2: () => new HttpV2(url) }, onQuestion);
  }
  const { command, args, cwd } = place.command;
  const env = { ...COMPILED, ...place.env };
  const server = { command, args: [...args], env, stderr: "ignore" as const, ...(cwd === undefined ? {} : { cwd }) };
  return connect(name, { v1: () => new StdioV1(server), v2: () => new StdioV2(server) }, onQuestion);
}

interface Transports {
  readonly v1: () => Parameters<ClientV1["connect"]>[0];
  readonly v2: () => Parameters<ClientV2["connect"]>[0];
}

async function connect(name: ClientName, transports: Transports, onQuestion?: OnQuestion): Promise<AnyClient> {
  const mode = CLIENTS[name];
  if (mode === undefined) {
    const client = new ClientV1(INFO, { capabilities: onQuestion === undefined ? {} : ASKABLE });
    if (onQuestion !== undefined)
      client.setRequestHandler(ElicitRequestSchema, async ({ params }) => (await onQuestion(params)) as ElicitResult);
    const transport = transports.v1();
    await client.connect(transport);
    return {
      ...common(client),
      protocol: () => "2025-11-25",
      listTools: async () => (await client.listTools()).tools,
      callTool: async (tool, given = {}, more = {}) => (await client.callTool({ name: tool, arguments: given, ...more })) as AnyResult,
      callLongTool: async ({ name: tool, given = {}, onProgress, signal }) =>
        (await client.callTool({ name: tool, arguments: given }, undefined, optionsOf(onProgress, signal))) as AnyResult,
      readResource: (uri) => client.readResource({ uri }),
    };
  }
  const client = new ClientV2(INFO, { versionNegotiation: { mode }, capabilities: onQuestion === undefined ? {} : ASKABLE });
  if (onQuestion !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }) => (await onQuestion(params)) as ElicitResult);
  await client.connect(transports.v2());
  return {
    ...common(client),
    protocol: () => client.getNegotiatedProtocolVersion(),
    listTools: async () => (await client.listTools()).tools,
    callTool: async (tool, given = {}, more = {}) => (await client.callTool({ name: tool, arguments: given, ...more })) as AnyResult,
    callLongTool: async ({ name: tool, given = {}, onProgress, signal }) =>
      (await client.callTool({ name: tool, arguments: given }, optionsOf(onProgress, signal))) as AnyResult,
    readResource: (uri) => client.readResource({ uri }),
  };
}

function optionsOf(onProgress: LongCall["onProgress"], signal: AbortSignal | undefined) {
  const onprogress = (progress: object): void => onProgress({ ...progress });
  return signal === undefined ? { onprogress } : { onprogress, signal };
}

function common(client: ClientV1 | ClientV2): Pick<AnyClient, "server" | "capabilities" | "instructions" | "close"> {
  return {
    server: () => client.getServerVersion(),
    capabilities: () => client.getServerCapabilities(),
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}
