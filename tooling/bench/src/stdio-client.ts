import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import type { Readable, Writable } from "node:stream";

const NEWLINE = 0x0a;

export interface Message {
  readonly id: number;
  readonly method: string;
  readonly params?: object;
}

/** The answer as it came, and where it did. */
export interface Answer {
  readonly bytes: Buffer;
  /** By `performance.now()`. */
  readonly at: number;
}

/** Talks to a server line by line, and keeps its own work out of what is measured: lines are made before they are sent. */
export class StdioClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #startedAt = performance.now();
  #chunks: Buffer[] = [];
  #waiting: PromiseWithResolvers<Answer> | undefined;

  constructor(script: string, env: NodeJS.ProcessEnv = {}) {
    this.#child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "ignore"], env: { ...process.env, ...env } });
    this.#child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#child.on("exit", () => this.#waiting?.reject(new Error(`${script} ended before it answered.`)));
    this.#child.stdin.on("error", (error) => this.#waiting?.reject(error));
  }

  /** When the process was asked for. */
  get startedAt(): number {
    return this.#startedAt;
  }

  /** Sends one line and resolves when the answer's last byte is here. One at a time. */
  send(line: Buffer): Promise<Answer> {
    this.#waiting = Promise.withResolvers<Answer>();
    this.#child.stdin.write(line);
    return this.#waiting.promise;
  }

  /** Sends what has no answer. */
  notify(method: string): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method })}\n`);
  }

  /** Greets the server as a client must; resolves when the greeting is answered. */
  async initialize(): Promise<Answer> {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } };
    const answer = await this.send(lineOf({ id: 0, method: "initialize", params }));
    this.notify("notifications/initialized");
    return answer;
  }

  /** What the server has computed so far, in milliseconds; nothing where the system does not tell. */
  cpuMs(): number {
    if (process.platform !== "linux") return 0;
    const stat = fs.readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
    // Behind the name, which may hold anything: the 12th and 13th field, in hundredths of a second.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  /** The most memory the server has taken so far, where the system tells. */
  peakBytes(): number | undefined {
    if (process.platform !== "linux") return undefined;
    const status = fs.readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
  }

  async close(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.stdin.end();
    await exited;
  }

  #read(chunk: Buffer): void {
    const at = performance.now();
    this.#chunks.push(chunk);
    if (chunk.at(-1) !== NEWLINE) return;
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#waiting?.resolve({ bytes, at });
  }
}

/** What is sent for a message. */
export function lineOf(message: Message): Buffer {
  return Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** The result in an answer; whoever asked knows what it looks like. */
export function resultOf(answer: Answer): unknown {
  const { result, error } = JSON.parse(answer.bytes.toString()) as {
    readonly result?: unknown;
    readonly error?: { readonly message: string };
  };
  if (result === undefined) throw new Error(`The server answered with an error: ${error?.message ?? answer.bytes.toString()}`);
  return result;
}
