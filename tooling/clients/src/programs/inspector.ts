import type { Called, ClientProgram, ProtocolResult, Server } from "../client-program.ts";
import { runProgram } from "../run-program.ts";

/** Outcome of one run of the Inspector. */
interface Inspected {
  readonly code: number;
  readonly result: ProtocolResult & { readonly tools?: readonly { readonly name: string }[]; readonly _meta?: unknown };
  /** Complaints about schemas, in a strict listing. */
  readonly stderr: string;
}

/** Runs the command line of the MCP Inspector once. */
export async function inspect(server: Server, home: string, args: readonly string[]): Promise<Inspected> {
  const program = { packageName: "@modelcontextprotocol/inspector", program: "mcp-inspector", home };
  const where =
    server.way === "HTTP"
      ? [server.url.href, "--transport", "http"]
      : [server.command, ...server.args, ...Object.entries(server.env).flatMap(([name, value]) => ["-e", `${name}=${value}`])];
  const { code, stdout, stderr } = await runProgram(program, ["--cli", ...where, "--format", "json", "-q", ...args]);
  const { result } = JSON.parse(stdout) as { result: Inspected["result"] };
  return { code, result, stderr };
}

/** The command line of the MCP Inspector. Each step is a run of its own. */
export const inspector: ClientProgram = {
  name: "MCP Inspector",
  packageName: "@modelcontextprotocol/inspector",
  connect: async (server, home) => ({
    async tools() {
      const { code, result, stderr } = await inspect(server, home, ["--method", "tools/list", "--strict"]);
      // It warns of some schemas without refusing them.
      if (code !== 0 || /^\s*Path: |Error: tool/mu.test(stderr)) throw new Error(`Schemas that a client could refuse (${code}): ${stderr}`);
      return (result.tools ?? []).map(({ name }) => name);
    },
    async call(tool, given): Promise<Called> {
      const args = Object.entries(given).map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
      const { code, result } = await inspect(server, home, ["--method", "tools/call", "--tool-name", tool, "--tool-arg", ...args]);
      if (code === 0) return { isError: false, value: result.structuredContent as Readonly<Record<string, unknown>> };
      return { isError: true, text: JSON.stringify(result.content), form: `exit code ${code}` };
    },
    close: async () => {},
  }),
};
