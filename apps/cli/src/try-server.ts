import type { Program } from "@workrail/host-setup";

/** The result of starting an MCP server. */
export type TriedServer = { readonly name: string; readonly version: string; readonly ms: number } | { readonly failure: string };

export interface TryOptions {
  readonly timeoutMs: number;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** Milliseconds that a server gets to end. */
const LAST_MOMENT_MS = 1_000;
const MOST_CHARACTERS = 1_048_576;
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "workrail-doctor", version: "1" } },
};

/** Starts an MCP server without a shell, asks it to initialize, and ends it. Resolves when the process has ended. Never rejects. */
export async function tryServer(program: Program, options: TryOptions): Promise<TriedServer> {
  try {
    return await talkTo(program, options);
  } catch (error) {
    // An argument that no program can have, for example.
    return notStarted(error as NodeJS.ErrnoException);
  }
}

async function talkTo({ command, args }: Program, { timeoutMs, env, cwd }: TryOptions): Promise<TriedServer> {
  // Loaded here, because other commands do not need it.
  const { spawn } = await import("node:child_process");
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, cwd, stdio: ["pipe", "pipe", "pipe"], shell: false, windowsHide: true });
    let [answered, said, tried]: [string, string, TriedServer | undefined] = ["", "", undefined];
    let patience = setTimeout(() => done({ failure: `it did not answer within ${timeoutMs / 1_000} seconds` }), timeoutMs);
    const done = (result: TriedServer): void => {
      if (tried !== undefined) return;
      tried = result;
      clearTimeout(patience);
      child.stdin.end();
      patience = setTimeout(() => child.kill("SIGKILL"), "failure" in result ? 0 : LAST_MOMENT_MS);
    };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      answered += text;
      const ms = Math.round(performance.now() - started);
      const server = serverIn(answered);
      if (server !== undefined) done({ ...server, ms });
      else if (answered.length > MOST_CHARACTERS) done({ failure: "it does not speak MCP" });
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (said = `${said}${text}`.slice(-MOST_CHARACTERS)));
    // A server that has ended does not read.
    child.stdin.on("error", () => {});
    child.once("error", (error) => {
      clearTimeout(patience);
      resolve(tried ?? notStarted(error));
    });
    child.once("close", (code, signal) => {
      clearTimeout(patience);
      resolve(tried ?? { failure: `it ended with ${code ?? signal}${lastWords(said)}` });
    });
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  });
}

function notStarted({ code, message }: NodeJS.ErrnoException): TriedServer {
  return { failure: `it cannot be started: ${code ?? message}` };
}

/** The answer, found among other lines. */
function serverIn(output: string): { readonly name: string; readonly version: string } | undefined {
  for (const line of output.split("\n").slice(0, -1)) {
    const { name, version } = serverInfo(line);
    if (typeof name === "string" && typeof version === "string") return { name, version };
  }
  return undefined;
}

function serverInfo(line: string): { readonly name?: unknown; readonly version?: unknown } {
  try {
    const answer = JSON.parse(line) as { readonly id?: unknown; readonly result?: { readonly serverInfo?: object | null } | null } | null;
    return answer?.id === 1 ? (answer.result?.serverInfo ?? {}) : {};
  } catch {
    return {};
  }
}

function lastWords(said: string): string {
  const last = said.trim().split("\n").at(-1)?.trim() ?? "";
  return last === "" ? "" : `: ${last.slice(0, 200).toWellFormed()}`;
}
