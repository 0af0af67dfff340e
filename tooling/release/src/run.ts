import { spawn } from "node:child_process";

export interface Outcome {
  readonly code: number;
  /** Standard output and standard error as they came. */
  readonly output: string;
}

/** Runs a command to its end. Never rejects for a failing command: its code says so. */
export function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    // On Windows the commands are .cmd files, which only a shell can start.
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"], shell: process.platform === "win32" });
    let output = "";
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
