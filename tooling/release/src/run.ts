import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";

export interface Outcome {
  readonly code: number;
  /** Standard output and standard error in the order of arrival. */
  readonly output: string;
}

/** Runs a command to its end, with a text as its standard input. Never rejects for a failing command: the code reports that. */
export function run(
  command: string,
  args: readonly string[],
  { input, ...options }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv; readonly input?: string | undefined },
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = start(command, args, { ...options, stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"] });
    child.stdin?.end(input);
    let output = "";
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout?.on("data", collect);
    child.stderr?.on("data", collect);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Starts a program. Installed programs are `.cmd` files on Windows, which only a shell can start; it receives one quoted line. */
export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const isShim = process.platform === "win32" && !command.toLowerCase().endsWith(".exe");
  return isShim ? spawn([command, ...args].map(quoted).join(" "), { ...options, shell: true }) : spawn(command, args, options);
}

function quoted(word: string): string {
  return /^[\w@.:=/\\-]+$/u.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;
}
