import fs from "node:fs";
import { isatty } from "node:tty";

const CHUNK_BYTES = 64 * 1024;
const MOST_INPUT_BYTES = 16 * 1024 * 1024;
const AGAIN_MS = 5;

/** The text that a host sends on standard input; empty on a terminal. Without streams, which take half as long to load as Node itself. JSON that is whole is enough: not every host closes its end. */
export async function readInput(): Promise<string> {
  if (isTerminal()) return "";
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const chunks: Buffer[] = [];
  for (let size = 0; size <= MOST_INPUT_BYTES;) {
    const count = await readChunk(chunk);
    if (count === 0) break;
    chunks.push(Buffer.from(chunk.subarray(0, count)));
    size += count;
    if (isWhole(chunks)) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

function isWhole(chunks: readonly Buffer[]): boolean {
  const text = chunks.at(-1)?.toString("utf8").trimEnd();
  if (text === undefined || !text.endsWith("}")) return false;
  try {
    JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return true;
  } catch {
    // A brace within the JSON: there is more to come.
    return false;
  }
}

/** @returns 0 at the end. */
async function readChunk(chunk: Buffer): Promise<number> {
  for (;;) {
    const { error, count } = await new Promise<{ readonly error: NodeJS.ErrnoException | null; readonly count: number }>((resolve) => {
      fs.read(0, chunk, 0, chunk.length, null, (failure, read) => resolve({ error: failure, count: read }));
    });
    if (error === null) return count;
    // Windows tells the end of a pipe so.
    if (error.code === "EOF") return 0;
    if (error.code !== "EAGAIN") throw error;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** Whether a person sits at standard input. The system tells a pipe and a file, without loading terminals. */
export function isTerminal(): boolean {
  return fs.fstatSync(0).isCharacterDevice() && isatty(0);
}

/** Writes to standard output without streams. */
export function writeOutput(output: string): void {
  try {
    if (output !== "") fs.writeFileSync(1, output);
  } catch (error) {
    // The host does not listen any more.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
}
