import { createReadStream } from "node:fs";
import { WorkrailError } from "@workrail/core";

const CHUNK_BYTES = 1024 * 1024;

/**
 * The text of a file, chunk by chunk; a byte order mark is passed over.
 *
 * @throws INVALID_INPUT when it cannot be read, or is not UTF-8.
 */
export async function* readTextFile(file: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>) {
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (cause) {
    const reason = cause instanceof TypeError ? "it is not UTF-8" : cause instanceof Error ? cause.message : String(cause);
    throw new WorkrailError("INVALID_INPUT", `${file} cannot be read: ${reason}.`, {
      details: { path: file },
      hint: "Name a file that `workrail export` wrote.",
      cause,
    });
  }
}
