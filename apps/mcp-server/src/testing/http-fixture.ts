import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import type { HttpSettings } from "../http/http-settings.ts";
import { type Command, fixtureCommand } from "./raw-client.ts";

export interface HttpFixtureOptions {
  /** Settings that differ from those of a server on this machine without tokens. */
  readonly settings?: Partial<Omit<HttpSettings, "url" | "issuer">> & { readonly url?: string; readonly issuer?: string };
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the fixture server. */
  readonly program?: Command;
}

/** A server on HTTP in a process of its own. */
export class HttpFixture {
  readonly url: URL;
  readonly #child: ChildProcess;
  readonly #output: { stderr: string };

  private constructor(child: ChildProcess, url: URL, output: { stderr: string }) {
    this.#child = child;
    this.url = url;
    this.#output = output;
  }

  /** Resolves when the server listens. @throws with its standard error when it ends before. */
  static async start({ settings = {}, env = {}, program = fixtureCommand }: HttpFixtureOptions = {}): Promise<HttpFixture> {
    const { command, args, cwd } = program;
    const given = { ...process.env, FIXTURE_HTTP: JSON.stringify(settings), ...env };
    const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"], cwd, env: given });
    const output = { stderr: "" };
    const url = await new Promise<URL>((resolve, reject) => {
      child.on("exit", (code) => reject(new Error(`It ended with ${code}: ${output.stderr}`)));
      child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
        output.stderr += chunk;
        const [, found] = /serves (http\S+)\n/u.exec(output.stderr) ?? [];
        if (found !== undefined) resolve(new URL(found));
      });
    });
    return new HttpFixture(child, url, output);
  }

  get stderr(): string {
    return this.#output.stderr;
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves when the standard error contains a text. */
  async says(text: string): Promise<void> {
    while (!this.stderr.includes(text)) await once(this.#child.stderr ?? this.#child, "data");
  }

  /** Resolves to the exit code when the process has ended. */
  async exit(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "close");
    return this.#child.exitCode;
  }

  /** Sends a message as a client of protocol 2025-11-25 does, unless told otherwise. */
  async post(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: typeof body === "string" || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGKILL");
    await this.exit();
  }
}

/** Reads the JSON-RPC message of an answer, in whichever form it came. */
export async function messageIn(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  const [, event = text] = /^data: (.+)$/mu.exec(text) ?? [];
  return JSON.parse(event) as Record<string, unknown>;
}
