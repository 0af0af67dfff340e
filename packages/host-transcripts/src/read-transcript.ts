import { closeSync } from "node:fs";
import path from "node:path";
import { WorkrailError } from "@workrail/core";
import { beginClaudeReader } from "./claude-code/begin-claude-reader.ts";
import { beginCodexReader } from "./codex/begin-codex-reader.ts";
import { beginGeminiReader } from "./gemini/begin-gemini-reader.ts";
import { readGeminiDocument } from "./gemini/read-gemini-document.ts";
import { projectRootOf } from "./gemini/project-root-of.ts";
import type { TranscriptHost, TranscriptPart, TranscriptPosition } from "./host-transcript.ts";
import { cannotRead, openTranscript, type OpenTranscript } from "./open-transcript.ts";
import { readLines } from "./read-lines.ts";
import type { BeginReader } from "./transcript-reader.ts";
import { digestOfHead, isUnchangedSince } from "./transcript-head.ts";

/** The position to continue from, and limits of one call. */
export interface ReadTranscriptOptions {
  /** Position from an earlier call. Reading continues there if the file still has the same beginning. */
  readonly from?: TranscriptPosition | undefined;
  /** A time like `Date.now()`. Checked after each megabyte, so each call makes progress. Default: none. */
  readonly deadlineMs?: number | undefined;
  /** Approximate limit of bytes for this call. Default: none. */
  readonly maxBytes?: number | undefined;
}

const READERS: Readonly<Record<Exclude<TranscriptHost, "opencode">, BeginReader>> = {
  "claude-code": beginClaudeReader,
  codex: beginCodexReader,
  gemini: beginGeminiReader,
};

const MIN_CHUNK_BYTES = 64 * 1024;
/** Bytes. A longer transcript is not read again after a rewind, so its notes keep the abandoned turns. */
const MAX_REWIND_BYTES = 32 * 1024 * 1024;

/**
 * Reads a host's transcript from the position of an earlier call.
 *
 * `undefined` when the file is missing. An unfinished last line is left for the next call. The whole file is never in memory.
 *
 * @throws INVALID_INPUT for anything but a regular file, and for opencode, which has no such file; STORAGE_UNAVAILABLE when the file
 * cannot be read.
 */
export async function readTranscript(
  host: TranscriptHost,
  file: string,
  options: ReadTranscriptOptions = {},
): Promise<TranscriptPart | undefined> {
  const begin = readerOf(host);
  const opened = openTranscript(file);
  if (opened === undefined) return undefined;
  try {
    if (host === "gemini" && file.endsWith(".json")) return withProject(host, file, readGeminiDocument(opened, options.from));
    return withProject(host, file, readOpen({ ...options, ...opened, file, begin }));
  } catch (error) {
    throw cannotRead(file, error);
  } finally {
    closeSync(opened.fd);
  }
}

/** Gemini CLI keeps the directory of a session in a file beside the chats. */
function withProject(host: TranscriptHost, file: string, part: TranscriptPart): TranscriptPart {
  const cwd = host === "gemini" ? projectRootOf(path.dirname(path.dirname(file))) : undefined;
  return cwd === undefined ? part : { ...part, facts: { ...part.facts, cwd } };
}

function readerOf(host: TranscriptHost): BeginReader {
  if (host !== "opencode") return READERS[host];
  throw new WorkrailError("INVALID_INPUT", "opencode keeps its transcripts in a database, which is not read", {
    details: { field: "host" },
    hint: "Give the messages of `opencode export` to readOpencodeMessages.",
  });
}

type ReadOpenOptions = ReadTranscriptOptions & OpenTranscript & { readonly file: string; readonly begin: BeginReader };

function readOpen(options: ReadOpenOptions): TranscriptPart {
  const { from, sizeBytes } = options;
  if (from !== undefined && from.offset > 0 && isUnchangedSince(options, from)) {
    const canRewind = sizeBytes <= MAX_REWIND_BYTES;
    const part = readPart({ ...options, start: from, canRewind, atLeast: 0 });
    if (!part.isRewound) return part.read;
    // Reads at least to the end of this part. Otherwise the next call would stop at the same place again.
    return readPart({ ...options, start: undefined, canRewind: false, atLeast: part.read.position.offset }).read;
  }
  return readPart({ ...options, start: undefined, canRewind: false, atLeast: 0 }).read;
}

interface ReadPartOptions extends ReadOpenOptions {
  /** `undefined`: the beginning of the file. */
  readonly start: TranscriptPosition | undefined;
  readonly canRewind: boolean;
  /** Offset in bytes. Before it the limits of time and bytes do not apply. */
  readonly atLeast: number;
}

function readPart(options: ReadPartOptions): { readonly read: TranscriptPart; readonly isRewound: boolean } {
  const { fd, file, begin, start, canRewind, atLeast, deadlineMs = Infinity, maxBytes = Infinity } = options;
  const from = start?.offset ?? 0;
  const reader = begin(file, start === undefined ? undefined : (start.tip ?? ""));
  let isRewound = false;
  const { offset, isPartial } = readLines({
    fd,
    from,
    chunkBytes: Math.max(maxBytes, MIN_CHUNK_BYTES),
    goOn: (at) => !isRewound && (at < atLeast || (at - from < maxBytes && Date.now() < deadlineMs)),
    onLine: (line) => {
      if (!isRewound && reader.accept(line) === "rewound") isRewound = canRewind;
    },
  });
  const { events, facts, tip } = reader.finish();
  const position = { offset, head: digestOfHead(fd, offset), ...(tip === undefined ? {} : { tip }) };
  return { isRewound, read: { events, position, restarted: start === undefined, facts, isPartial } };
}
