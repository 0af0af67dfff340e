import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { WorkrailError } from "@workrail/core";

/** Small enough that somebody who looks sees it move where each piece gives much to do. */
const CHUNK_BYTES = 64 * 1024;

type OnRead = (bytes: { readonly done: number; readonly total: number }) => void;

/**
 * The text of a file, chunk by chunk; a byte order mark is passed over.
 *
 * @param onRead told when a chunk was read and done with.
 * @throws INVALID_INPUT when it cannot be read, or is not UTF-8.
 */
export async function* readTextFile(file: string, onRead?: OnRead): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    const total = onRead === undefined ? 0 : (await stat(file)).size;
    let done = 0;
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>) {
      yield decoder.decode(chunk, { stream: true });
      done += chunk.length;
      onRead?.({ done, total: Math.max(total, done) });
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
