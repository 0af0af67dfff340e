import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface RanAgent {
  /** Lines that the process printed. */
  readonly lines: readonly string[];
  readonly signal: NodeJS.Signals | null;
}

const PROGRAM = fileURLToPath(new URL("run-agent.ts", import.meta.url));

/** Runs one process of the agent, and kills it when it hangs in the node of an invoice. */
export async function runAgent(dataDir: string, ledger: string, hangsAt?: string): Promise<RanAgent> {
  const args = ["--conditions=@workrail/source", PROGRAM, dataDir, ledger, ...(hangsAt === undefined ? [] : [hangsAt])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once("close", (_, signal) => resolve(signal)));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === "hangs") child.kill("SIGKILL");
    else lines.push(line);
  }
  return { lines, signal: await ended };
}
