import { join } from "node:path";
import process from "node:process";
import type { Called, ClientProgram, ProtocolResult, Server } from "../client-program.ts";
import { type Ran, RepeatedProgram } from "../repeated-program.ts";
import { folderOf, runProgram } from "../run-program.ts";

const PACKAGE = "@modelcontextprotocol/inspector";
const CLI = "clients/cli/build/index.js";

/** Outcome of one run of the Inspector. */
interface Inspected {
  readonly code: number;
  readonly result: ProtocolResult & { readonly tools?: readonly { readonly name: string }[]; readonly _meta?: unknown };
  /** Complaints about schemas, in a strict listing. */
  readonly stderr: string;
}

/** The command line of the Inspector in one process, which runs it many times. */
export class InspectorProcess {
  readonly #program: RepeatedProgram;

  /** @param home its home directory. */
  constructor(home: string) {
    const entry = join(folderOf(PACKAGE), CLI);
    this.#program = new RepeatedProgram([entry, process.execPath, entry], home);
  }

  /** Runs the command line once, after the previous run. */
  async inspect(server: Server, args: readonly string[]): Promise<Inspected> {
    return inspectedOf(await this.#program.run([...argumentsOf(server), ...args]));
  }

  async call(server: Server, tool: string, args: readonly string[]): Promise<Inspected> {
    return this.inspect(server, ["--method", "tools/call", "--tool-name", tool, "--tool-arg", ...args]);
  }

  close(): Promise<void> {
    return this.#program.close();
  }
}

/** Lists the tools with the installed program, which complains about schemas. */
async function listStrictly(server: Server, home: string): Promise<Inspected> {
  const args = ["--cli", ...argumentsOf(server), "--method", "tools/list", "--strict"];
  return inspectedOf(await runProgram({ packageName: PACKAGE, program: "mcp-inspector", home }, args));
}

function argumentsOf(server: Server): readonly string[] {
  const where =
    server.way === "HTTP"
      ? [server.url.href, "--transport", "http"]
      : [server.command, ...server.args, ...Object.entries(server.env).flatMap(([name, value]) => ["-e", `${name}=${value}`])];
  return [...where, "--format", "json", "-q"];
}

function inspectedOf({ code, stdout, stderr }: Ran): Inspected {
  const { result } = JSON.parse(stdout) as { result: Inspected["result"] };
  return { code, result, stderr };
}

/** The command line of the MCP Inspector. The listing is a process of its own. The calls share one. */
export const inspector: ClientProgram = {
  name: "MCP Inspector",
  packageName: PACKAGE,
  connect: async (server, home) => {
    const shared = new InspectorProcess(home);
    return {
      async tools() {
        const { code, result, stderr } = await listStrictly(server, home);
        // It warns of some schemas without refusing them.
        if (code !== 0 || /^\s*Path: |Error: tool/mu.test(stderr))
          throw new Error(`Schemas that a client could refuse (${code}): ${stderr}`);
        return (result.tools ?? []).map(({ name }) => name);
      },
      async call(tool, given): Promise<Called> {
        const args = Object.entries(given).map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
        const { code, result } = await shared.call(server, tool, args);
        if (code === 0) return { isError: false, value: result.structuredContent as Readonly<Record<string, unknown>> };
        return { isError: true, text: JSON.stringify(result.content), form: `exit code ${code}` };
      },
      close: () => shared.close(),
    };
  },
};
