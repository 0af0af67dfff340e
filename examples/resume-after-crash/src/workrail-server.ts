import process from "node:process";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Context } from "./session-player.ts";

export interface ServerOptions {
  /** Path of the server's program. */
  readonly program: string;
  readonly dataDir: string;
  readonly maxCheckpoints: number;
}

export interface Saved {
  readonly checkpointId: string;
  readonly status: "SAVED" | "SKIPPED_UNCHANGED";
}

export interface Resumed {
  readonly checkpointId: string;
  readonly status: "LOADED" | "CANDIDATES";
  readonly context: Context;
}

export interface NotWhole {
  readonly key: string;
  readonly characters: number;
  /** Number of characters of the entry that the view holds. */
  readonly shown: number;
}

export interface Loaded {
  readonly checkpointId: string;
  readonly sessionId: string;
  readonly context: Context;
  readonly metadata: { readonly criticalKeys?: readonly string[] };
  /** Entries that the view holds in part. */
  readonly shortened?: { readonly count: number; readonly entries: readonly NotWhole[] };
  readonly omitted?: { readonly count: number };
}

/** A part of one value, and the offset of the next part. */
export interface LoadedPart {
  readonly value: unknown;
  readonly length?: number;
  readonly nextOffset?: number;
  /** True when the next item is too large for one answer, and must be fetched by its own path. */
  readonly itemTooLarge?: boolean;
  readonly nextKey?: string;
}

interface Page {
  readonly checkpoints: readonly { readonly checkpointId: string; readonly sessionId: string }[];
  readonly nextOffset?: number;
}

/** A Workrail server in its own process. The client is the MCP library's own client, as in an agent's host. */
export class WorkrailServer {
  readonly #client: Client;
  readonly #transport: StdioClientTransport;
  readonly #gone: Promise<void>;

  private constructor(client: Client, transport: StdioClientTransport) {
    this.#client = client;
    this.#transport = transport;
    this.#gone = new Promise((resolve) => {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has properties for its callbacks, and no events
      client.onclose = resolve;
    });
  }

  static async start({ program, dataDir, maxCheckpoints }: ServerOptions): Promise<WorkrailServer> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      // The same Node flags as this process, so that a server in TypeScript runs too.
      args: [...process.execArgv, program],
      env: { WORKRAIL_DATA_DIR: dataDir, WORKRAIL_MAX_CHECKPOINTS: String(maxCheckpoints), WORKRAIL_LOG_LEVEL: "error" },
    });
    const client = new Client({ name: "resume-after-crash", version: "1" });
    await client.connect(transport);
    return new WorkrailServer(client, transport);
  }

  async save(input: { sessionId: string; workflowId?: string; context: Context; metadata: { name: string } }): Promise<Saved> {
    return this.#call("workflow_checkpoint_save", input);
  }

  async resume(input: { sessionId: string }): Promise<Resumed> {
    return this.#call("workflow_resume", input);
  }

  async load(input: { checkpointId?: string; sessionId?: string; full?: true; budgetTokens?: number }): Promise<Loaded> {
    return this.#call("workflow_checkpoint_load", input);
  }

  async loadPart(input: {
    checkpointId: string;
    keys: readonly [readonly (string | number)[]];
    range: { offset: number };
  }): Promise<LoadedPart> {
    const { values } = await this.#call<{ values?: readonly LoadedPart[] }>("workflow_checkpoint_load", input);
    const [part] = values ?? [];
    if (part === undefined) throw new Error(`the server has nothing at ${input.keys[0].join(".")}`);
    return part;
  }

  async markCritical(input: { sessionId: string; contextKey: string }): Promise<{ readonly status: string }> {
    return this.#call("workflow_mark_critical", input);
  }

  /** Lists checkpoints, newest first, page by page; without a session, those of all sessions. */
  async list(sessionId?: string): Promise<Page["checkpoints"]> {
    const found: Page["checkpoints"][number][] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const page: Page = await this.#call("workflow_checkpoint_list", { sessionId, limit: 100, offset });
      found.push(...page.checkpoints);
      offset = page.nextOffset;
    }
    return found;
  }

  /** Kills the process at once. Resolves when it has exited. */
  async kill(): Promise<void> {
    const { pid } = this.#transport;
    if (pid !== null) process.kill(pid, "SIGKILL");
    await this.#gone;
  }

  /** Closes the connection, and lets the server finish first. */
  async close(): Promise<void> {
    await this.#client.close();
  }

  async #call<Result>(name: string, input: Record<string, unknown>): Promise<Result> {
    const result = await this.#client.callTool({ name, arguments: input });
    const [block] = result.content as { text: string }[];
    if (result.isError === true) throw new Error(`${name} failed: ${block?.text ?? ""}`);
    return JSON.parse(block?.text ?? "") as Result;
  }
}
