import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { isWorkrailError, whyUnreadable, WorkrailError } from "@workrail/core";

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
  yield* readText(chunksOf(file, onRead), file, { path: file });
}

/**
 * The same of what is no file.
 *
 * @param name says in a failure what it is.
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
      hint: "Give what `workrail export` wrote.",
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
