import buffer from "node:buffer";
import { createReadStream } from "node:fs";
import { type Log, parseJson, roundedIntegers, whyUnreadable, WorkrailError } from "@workrail/core";

const CHUNK_BYTES = 1024 * 1024;
const STDIN = "-";
/** Most rounded integers that a warning names; the rest is counted. */
const MOST_NAMED = 5;
/** Keys that end typed input. */
const END = process.platform === "win32" ? "Ctrl-Z and Enter" : "Ctrl-D";

/**
 * Reads a context's JSON from a file or standard input, and warns of integers that JavaScript numbers cannot hold.
 *
 * @param file absent: standard input, unless it is a terminal.
 * @throws INVALID_INPUT when it cannot be read or is not JSON; TOO_LARGE over `mostBytes`.
 */
export async function readContext(
  file: string | undefined,
  log: Pick<Log, "warn">,
  mostBytes: number = buffer.constants.MAX_STRING_LENGTH,
): Promise<unknown> {
  if (file === undefined && process.stdin.isTTY) {
    throw new WorkrailError("INVALID_INPUT", "There is no context to save.", {
      hint: `Name a file with the context's JSON, or pipe it in; \`-\` reads what you type until ${END}.`,
    });
  }
  const source = file ?? STDIN;
  const name = source === STDIN ? "standard input" : source;
  const text = decode(await read(source, name, mostBytes), name);
  const context = parse(text, name);
  warnOfRounded(text, log);
  return context;
}

function warnOfRounded(text: string, log: Pick<Log, "warn">): void {
  const rounded = roundedIntegers(text);
  if (rounded.length === 0) return;
  log.warn("integers too long for a number were rounded", {
    count: rounded.length,
    integers: rounded.slice(0, MOST_NAMED),
    hint: "Put them in quotation marks: strings stay exact.",
  });
}

async function read(source: string, name: string, mostBytes: number): Promise<Uint8Array> {
  const stream = source === STDIN ? process.stdin : createReadStream(source, { highWaterMark: CHUNK_BYTES });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw tooLarge(name, mostBytes);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof WorkrailError || !(cause instanceof Error)) throw cause;
    throw new WorkrailError("INVALID_INPUT", `The context cannot be read from ${name}: ${whyUnreadable(cause)}.`, {
      hint: "Name a readable file, or pipe the context in.",
      cause,
    });
  }
  return Buffer.concat(chunks);
}

function tooLarge(name: string, mostBytes: number): WorkrailError {
  return new WorkrailError("TOO_LARGE", `There are more than ${mostBytes} bytes in ${name}.`, {
    details: { mostBytes },
    hint: "Save the paths of large files instead.",
  });
}

/** Refuses bytes that are not UTF-8: with replacement characters, other data would be saved. */
function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new WorkrailError("INVALID_INPUT", `The text in ${name} is not UTF-8.`, {
      hint: "Convert it to UTF-8 first. Windows PowerShell writes UTF-16 by `>`; `| Out-File -Encoding utf8` does not.",
      cause,
    });
  }
}

function parse(text: string, name: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    const { reason, place } = explain(cause, text);
    throw new WorkrailError("INVALID_INPUT", `The text in ${name} is not JSON: ${reason}.`, {
      details: place,
      hint: "A context is one JSON object.",
      cause,
    });
  }
}

interface Explanation {
  readonly reason: string;
  readonly place: { readonly line?: number; readonly column?: number };
}

/** Returns reason and place of a fault. The engine gives the place of most faults; for truncated text it is the end. */
function explain(error: unknown, text: string): Explanation {
  const reason = error instanceof Error ? error.message : String(error);
  const [, line, column] = /\(line (\d+) column (\d+)\)/u.exec(reason) ?? [];
  if (line !== undefined) return { reason, place: { line: Number(line), column: Number(column) } };
  if (!reason.startsWith("Unexpected end")) return { reason, place: {} };
  const lines = text.split("\n");
  const end = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  return { reason: `${reason} (line ${end.line} column ${end.column})`, place: end };
}
