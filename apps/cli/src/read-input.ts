import fs from "node:fs";
import { isatty } from "node:tty";

const CHUNK_BYTES = 64 * 1024;
const MOST_INPUT_BYTES = 16 * 1024 * 1024;
/** Milliseconds to wait for a host that does not close standard input. A process may itself be stopped for longer, so it reads once more then. */
const INPUT_MS = 400;
const AGAIN_MS = 4;

/** The text that a host sends on standard input; empty on a terminal. */
export async function readInput(): Promise<string> {
  if (isTerminal()) return "";
  const fd = reopened();
  const chunks = fd === undefined ? await readStream() : await readDescriptor(fd);
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Opens standard input again without blocking reads. Streams do not block either, but loading them takes half the time of Node's start.
 *
 * @returns `undefined` when the system cannot: outside of Linux, and for sockets, which Node gives to its child processes.
 */
function reopened(): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return fs.openSync("/proc/self/fd/0", fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

async function readDescriptor(fd: number): Promise<readonly Buffer[]> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const chunks: Buffer[] = [];
  let size = 0;
  let until = performance.now() + INPUT_MS;
  while (size <= MOST_INPUT_BYTES) {
    const isLast = performance.now() >= until;
    const count = readNow(fd, chunk);
    if (count === 0) break;
    if (count === undefined) {
      if (isLast) break;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      continue;
    }
    chunks.push(Buffer.from(chunk.subarray(0, count)));
    size += count;
    until = performance.now() + INPUT_MS;
  }
  return chunks;
}

/** @returns 0 at the end, `undefined` when no bytes are there yet. */
function readNow(fd: number, chunk: Buffer): number | undefined {
  try {
    return fs.readSync(fd, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined;
    throw error;
  }
}

function readStream(): Promise<readonly Buffer[]> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (): void => {
      clearTimeout(timer);
      process.stdin.pause();
      resolve(chunks);
    };
    const waited = (): void => {
      const before = size;
      // Timers run before input that has arrived meanwhile; immediates run after it.
      setImmediate(() => (size === before ? done() : timer.refresh()));
    };
    const timer = setTimeout(waited, INPUT_MS);
    process.stdin.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MOST_INPUT_BYTES) done();
      else timer.refresh();
    });
    process.stdin.on("end", done);
    process.stdin.on("error", done);
  });
}

/** True when standard input is a terminal. Asks the system about pipes and files, so that the terminal module is not loaded. */
export function isTerminal(): boolean {
  return fs.fstatSync(0).isCharacterDevice() && isatty(0);
}

/** Writes to standard output without streams. Never throws. */
export function writeOutput(output: string): void {
  try {
    if (output !== "") fs.writeFileSync(1, output);
  } catch {
    // The host has closed its end, or its file is on a full disk: no output may fail the host.
  }
}
