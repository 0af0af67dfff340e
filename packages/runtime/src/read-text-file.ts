import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { isWorkrailError, whyUnreadable, WorkrailError } from "@workrail/core";

/** Small enough to show progress when each chunk takes long to process. */
const CHUNK_BYTES = 64 * 1024;

type OnRead = (bytes: { readonly done: number; readonly total: number }) => void;

/**
 * Reads the text of a file in chunks, without a byte order mark.
 *
 * @param onRead called when a chunk was read and processed.
 * @throws INVALID_INPUT when the file cannot be read, or is not UTF-8.
 */
export async function* readTextFile(file: string, onRead?: OnRead): AsyncGenerator<string, void, undefined> {
  yield* readText(chunksOf(file, onRead), file, { path: file });
}

/**
 * Decodes chunks that do not come from a file.
 *
 * @param name name of the source in error messages.
 */
export async function* readText(
  chunks: AsyncIterable<Uint8Array | string>,
  name: string,
  details: Readonly<Record<string, unknown>> = {},
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of chunks) yield typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (cause) {
    if (isWorkrailError(cause)) throw cause;
    const reason = cause instanceof TypeError ? "it is not UTF-8" : whyUnreadable(cause);
    throw new WorkrailError("INVALID_INPUT", `${name} cannot be read: ${reason}.`, {
      details,
      hint: "Give a file that `workrail export` wrote.",
      cause,
    });
  }
}

async function* chunksOf(file: string, onRead: OnRead | undefined): AsyncGenerator<Uint8Array, void, undefined> {
  const total = onRead === undefined ? 0 : (await stat(file)).size;
  let done = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>) {
    yield chunk;
    done += chunk.length;
    onRead?.({ done, total: Math.max(total, done) });
  }
}
