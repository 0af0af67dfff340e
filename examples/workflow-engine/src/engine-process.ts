import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Ran {
  /** Phase and item of all work that was done and saved, in order. */
  readonly done: readonly string[];
  /** The context at the end; `undefined` when the process was killed before. */
  readonly result: object | undefined;
  readonly signal: NodeJS.Signals | null;
}

interface Told {
  readonly done?: string;
  readonly result?: object;
}

const PROGRAM = fileURLToPath(new URL("run.ts", import.meta.url));

/**
 * Runs the engine in its own process.
 *
 * @param killAfter phase and item after which the process is killed with `SIGKILL`, which no program can handle.
 */
export async function runEngine(dataDir: string, killAfter?: string): Promise<Ran> {
  const args = [...process.execArgv, PROGRAM, dataDir, ...(killAfter === undefined ? [] : [killAfter])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (_code, signal) => resolve(signal));
  });
  const done: string[] = [];
  let result: object | undefined;
  for await (const line of createInterface(child.stdout)) {
    const told = JSON.parse(line) as Told;
    result ??= told.result;
    if (told.done === undefined) continue;
    done.push(told.done);
    if (told.done === killAfter) child.kill("SIGKILL");
  }
  return { done, result, signal: await ended };
}
