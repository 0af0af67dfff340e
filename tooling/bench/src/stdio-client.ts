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

/** The raw answer, and its time. */
export interface Answer {
  readonly bytes: Buffer;
  /** Time by `performance.now()`. */
  readonly at: number;
}

/** Talks to a server line by line, and keeps its own work out of the measurement: lines are prepared before they are sent. */
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

  /** Time at which the process was started. */
  get startedAt(): number {
    return this.#startedAt;
  }

  /** Sends one line, and resolves when the last byte of the answer arrives. One call at a time. */
  send(line: Buffer): Promise<Answer> {
    this.#waiting = Promise.withResolvers<Answer>();
    this.#child.stdin.write(line);
    return this.#waiting.promise;
  }

  /** Sends a notification, which has no answer. */
  notify(method: string): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method })}\n`);
  }

  /** Sends the initial request of a client; resolves when it is answered. */
  async initialize(): Promise<Answer> {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } };
    const answer = await this.send(lineOf({ id: 0, method: "initialize", params }));
    this.notify("notifications/initialized");
    return answer;
  }

  /** Returns the server's processor time so far, in milliseconds; 0 where the system does not report it. */
  cpuMs(): number {
    if (process.platform !== "linux") return 0;
    const stat = fs.readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
    // After the name, which may hold any characters: fields 12 and 13 from there, in hundredths of a second.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  /** Returns the server's peak memory so far, where the system reports it. */
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

/** Serialises a message to a line. */
export function lineOf(message: Message): Buffer {
  return Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** Returns the result of an answer, whose type the caller knows. */
export function resultOf(answer: Answer): unknown {
  const { result, error } = JSON.parse(answer.bytes.toString()) as {
    readonly result?: unknown;
    readonly error?: { readonly message: string };
  };
  if (result === undefined) throw new Error(`The server answered with an error: ${error?.message ?? answer.bytes.toString()}`);
  return result;
}
