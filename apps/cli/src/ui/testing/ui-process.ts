import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { CliUnderTest } from "../../testing/use-cli.ts";

/** A running `workrail ui` without a browser. */
export interface UiProcess {
  /** The link, which works once. */
  readonly link: string;
  readonly origin: string;
  readonly token: string;
  readonly child: ChildProcess;
  /** Interrupts it as Ctrl-C does, and returns its exit code. */
  stop(): Promise<number | null>;
}

export interface StartUiOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the bundled program as a user does. */
export async function startUi(cli: CliUnderTest, { args = [], env = {} }: StartUiOptions = {}): Promise<UiProcess> {
  const child = spawn(process.execPath, [cli.launcher, "ui", "--no-open", "--json", ...args], {
    cwd: cli.project,
    env: { ...cli.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk.toString()));
  const exited = once(child, "exit");
  const line = await Promise.race([once(createInterface(child.stdout), "line"), exited.then(() => undefined)]);
  if (line === undefined) throw new Error(`workrail ui ended: ${errors.join("")}`);
  const { url } = JSON.parse(String(line[0])) as { readonly url: string };
  const { origin, hash } = new URL(url);
  return {
    link: url,
    origin,
    token: hash.replace("#token=", ""),
    child,
    async stop() {
      if (child.exitCode === null) child.kill("SIGINT");
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
}
