import fs from "node:fs";
import path from "node:path";
import { alternate, type Comparison } from "../alternate.ts";
import { BareStore, bareLoad } from "../bare-store.ts";
import type { Bench } from "../bench.ts";
import { atStep, generateContext } from "../generate-context.ts";
import { type Answer, lineOf, resultOf, StdioClient } from "../stdio-client.ts";
import { NO_LIMIT } from "../tasks/open-library.ts";
import { untilQuiet } from "../rest.ts";
import { KB, label, MB } from "./library.ts";
import { ECHO_SERVER, SERVER } from "./programs.ts";

export interface McpResult {
  readonly rows: readonly McpRow[];
  /** Peak memory of the server: after initialisation, and at the end; `undefined` where the system does not report it. */
  readonly idleBytes: number | undefined;
  readonly peakBytes: number | undefined;
}

export interface McpRow extends Comparison {
  readonly operation: "save" | "load latest";
  readonly contextBytes: number;
}

/** Fields of a tool's result that the benchmark uses. */
interface ToolResult {
  readonly isError?: boolean;
  readonly structuredContent?: { readonly blobPath?: string };
}

const SIZES = [KB, 100 * KB, MB, 10 * MB];

/** Returns why the server cannot be measured; `undefined` when it can. */
export async function whyNoServer(): Promise<string | undefined> {
  if (!fs.existsSync(SERVER)) return "the MCP server is not built";
  const server = new StdioClient(SERVER);
  try {
    await server.initialize();
    const { tools } = resultOf(await server.send(lineOf({ id: 1, method: "tools/list" }))) as {
      readonly tools: readonly { readonly name: string }[];
    };
    return tools.some(({ name }) => name === "workflow_checkpoint_save") ? undefined : "the MCP server has no tool to save with yet";
  } finally {
    await server.close();
  }
}

/**
 * Measures saves and loads through the server on standard input and output, in turns with a server that only echoes, followed by the same
 * work done bare.
 */
export async function measureMcp(bench: Bench): Promise<McpResult> {
  const dataDir = bench.fresh("mcp");
  const server = new StdioClient(SERVER, { WORKRAIL_DATA_DIR: dataDir, WORKRAIL_MAX_CHECKPOINTS: String(NO_LIMIT) });
  const echo = new StdioClient(ECHO_SERVER);
  const bare = new BareStore(bench.fresh("bare"));
  await server.initialize();
  await echo.initialize();
  const idleBytes = server.peakBytes();
  const rows: McpRow[] = [];
  for (const bytes of bench.quick ? SIZES.slice(0, 3) : SIZES) {
    bench.say(`MCP: ${label(bytes)}`);
    rows.push(...(await measure({ bench, server, echo, bare, dataDir }, bytes)));
  }
  const peakBytes = server.peakBytes();
  bare.close();
  await Promise.all([server.close(), echo.close()]);
  return { rows, idleBytes, peakBytes };
}

interface Setting {
  readonly bench: Bench;
  readonly server: StdioClient;
  readonly echo: StdioClient;
  readonly bare: BareStore;
  readonly dataDir: string;
}

async function measure({ bench, server, echo, bare, dataDir }: Setting, bytes: number): Promise<McpRow[]> {
  const sessionId = `session-${bytes}`;
  const context = generateContext(bytes, 1);
  const saving = (step: number, answerCharacters: number, more: object = {}): Buffer =>
    call("workflow_checkpoint_save", { sessionId, context: atStep(context, step), ...more }, answerCharacters);
  const first = await server.send(saving(-1, 0));
  let line = saving(0, 0);
  const save = await alternate(bench.effort(), {
    floor: async (step) => {
      await echo.send(line);
      bare.save(atStep(context, step));
    },
    measured: () => server.send(line),
    before: (step) => (line = saving(step, first.bytes.length)),
    rest: () => untilQuiet(() => server.cpuMs()),
  });

  const last = checked(await server.send(saving(-2, 0, { details: true })));
  const file = path.join(dataDir, String(last.structuredContent?.blobPath));
  await untilQuiet(() => server.cpuMs());
  const loading = (answerCharacters: number): Buffer => call("workflow_checkpoint_load", { sessionId, full: true }, answerCharacters);
  const whole = await server.send(loading(0));
  checked(whole);
  const request = loading(whole.bytes.length);
  const load = await alternate(bench.effort(), {
    floor: async () => {
      await echo.send(request);
      bareLoad(file);
    },
    measured: () => server.send(request),
  });
  return [
    { operation: "save", contextBytes: bytes, ...save },
    { operation: "load latest", contextBytes: bytes, ...load },
  ];
}

/** Builds the line for both servers; the echo answers with as many characters as the real server. */
function call(name: string, input: object, answerCharacters: number): Buffer {
  return lineOf({ id: 2, method: "tools/call", params: { name, arguments: input, _meta: { answerCharacters } } });
}

function checked(answer: Answer): ToolResult {
  const result = resultOf(answer) as ToolResult;
  if (result.isError === true) throw new Error(`The server refused: ${JSON.stringify(result)}`);
  return result;
}
