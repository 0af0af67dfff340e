import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { bundleServer } from "./bundle.ts";

export interface ServerProcessOptions {
  /** Default: a new one. */
  readonly home?: TestHome;
  readonly env?: Readonly<Record<string, string>>;
  /** Options of the server. */
  readonly args?: readonly string[];
  /** Name of the client. Default `test-client`. */
  readonly clientName?: string;
  /** A command that starts the server; Node and its arguments are appended. */
  readonly through?: readonly string[];
  /** Options of Node. */
  readonly nodeOptions?: readonly string[];
}

/** Directories of one test: the server's data directory, and its working directory. */
export class TestHome {
  readonly directory: string;
  readonly dataDir: string;
  /** Working directory of the server, and so the project. */
  readonly project: string;

  private constructor(directory: string) {
    this.directory = directory;
    this.dataDir = join(directory, "data");
    this.project = directory;
  }

  /** @param prefix beginning of the directory's name. */
  static async create(prefix = "workrail-mcp-test-"): Promise<TestHome> {
    // Resolved, because the server reports its working directory without links, and macOS has links on the path to `tmpdir()`.
    return new TestHome(await realpath(await mkdtemp(join(tmpdir(), prefix))));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A failed call as a program reads it. */
export interface Failure {
  readonly code: string;
  readonly httpStatus: number;
  readonly details: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface Lodging {
  readonly home: TestHome;
  readonly isHomeOurs: boolean;
}

/** The bundled server in a process, called by the MCP library's client, which checks each answer against its schema. */
export class ServerProcess {
  readonly client: Client;
  readonly home: TestHome;
  readonly #transport: StdioClientTransport;
  readonly #isHomeOurs: boolean;
  #stderr = "";

  private constructor(client: Client, transport: StdioClientTransport, { home, isHomeOurs }: Lodging) {
    this.client = client;
    this.home = home;
    this.#transport = transport;
    this.#isHomeOurs = isHomeOurs;
    transport.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr += chunk.toString();
    });
  }

  static async start(options: ServerProcessOptions = {}): Promise<ServerProcess> {
    const home = options.home ?? (await TestHome.create());
    const { through = [], nodeOptions = [] } = options;
    const [command = process.execPath, ...args] = [...through, process.execPath, ...nodeOptions];
    const transport = new StdioClientTransport({
      command,
      args: [...args, join(await bundleServer(), "workrail-mcp.mjs"), ...(options.args ?? [])],
      cwd: home.project,
      env: { WORKRAIL_DATA_DIR: home.dataDir, ...options.env },
      stderr: "pipe",
    });
    const client = new Client({ name: options.clientName ?? "test-client", version: "1.2.3" });
    await client.connect(transport);
    // A client checks answers against the schemas only after listing the tools.
    await client.listTools();
    return new ServerProcess(client, transport, { home, isHomeOurs: options.home === undefined });
  }

  /** The log so far, one object per line. */
  get log(): readonly Record<string, unknown>[] {
    const lines = this.#stderr.split("\n").filter((line) => line.startsWith("{"));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** All output other than answers. */
  get stderr(): string {
    return this.#stderr;
  }

  get pid(): number {
    return this.#transport.pid ?? Number.NaN;
  }

  async call(name: string, given: Record<string, unknown> = {}): Promise<CallToolResult> {
    return (await this.client.callTool({ name, arguments: given })) as CallToolResult;
  }

  /** Calls a tool that must succeed, and checks that text and structure are equal. */
  async ok(name: string, given: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const result = await this.call(name, given);
    const text = textOf(result);
    if (result.isError === true) throw new Error(`${name} failed: ${text}`);
    if (text !== JSON.stringify(result.structuredContent)) throw new Error(`${name}: text and structure differ: ${text}`);
    return result.structuredContent as Record<string, unknown>;
  }

  /** Calls a tool that must fail. */
  async fails(name: string, given: Record<string, unknown> = {}): Promise<Failure> {
    const result = await this.call(name, given);
    const text = textOf(result);
    if (result.isError !== true || result.structuredContent !== undefined) throw new Error(`${name} did not fail: ${text}`);
    const { code, httpStatus, details } = result._meta as unknown as Failure;
    if (!text.startsWith(`${code}: `)) throw new Error(`${name}: the text does not begin with ${code}: ${text}`);
    return { code, httpStatus, details, text };
  }

  /** Kills the process. Resolves when the process has ended. */
  async kill(): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has properties for its callbacks, and no events
      this.client.onclose = resolve;
    });
    process.kill(this.pid, "SIGKILL");
    await gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    if (this.#isHomeOurs) await this.home[Symbol.asyncDispose]();
  }
}

function textOf(result: CallToolResult): string {
  const [block] = result.content;
  return block?.type === "text" ? block.text : "";
}
