import { type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { invalidInput, WorkrailError } from "@workrail/core";
import type { FoundTranscript } from "@workrail/host-transcripts";

/** Hosts whose transcripts `workrail import` reads by the host's name, with their descriptions in the help. */
export const TRANSCRIPT_SOURCES = {
  "claude-code": "the transcripts of Claude Code",
  codex: "the transcripts of Codex",
  gemini: "the transcripts of Gemini CLI",
} as const;
export type TranscriptSource = keyof typeof TRANSCRIPT_SOURCES;

export function isTranscriptSource(name: string): name is TranscriptSource {
  return Object.hasOwn(TRANSCRIPT_SOURCES, name);
}

export interface FoundTranscripts {
  /** Newest first. */
  readonly transcripts: readonly FoundTranscript[];
  /** The number of transcripts of sub-agents beside them. */
  readonly subagents: number;
  /** Folders that must not be read. */
  readonly unreadable: readonly string[];
}

/**
 * Finds transcripts: at the given files and folders, or else all that the host keeps.
 *
 * @throws INVALID_INPUT when there are none, or when a place cannot be read.
 */
export async function findTranscripts(host: TranscriptSource, given: readonly string[]): Promise<FoundTranscripts> {
  const { transcriptFolder } = await import("./library/importing.ts");
  const places = given.length > 0 ? given : [transcriptFolder(host, { home: homedir(), env: process.env })];
  const found = await Promise.all(places.map((place) => findAt(host, resolve(place))));
  return {
    transcripts: found
      .flatMap(({ transcripts }) => transcripts)
      .toSorted((left, right) => right.modifiedAt.getTime() - left.modifiedAt.getTime()),
    subagents: found.reduce((sum, { subagents }) => sum + subagents, 0),
    unreadable: found.flatMap(({ unreadable }) => unreadable),
  };
}

async function findAt(host: TranscriptSource, place: string): Promise<FoundTranscripts> {
  const { transcriptsBelow } = await import("./library/importing.ts");
  const stat = statsOf(place);
  if (stat === undefined) throw invalidInput("files", `${place} does not exist.`, "Name a transcript, or a folder of transcripts.");
  if (stat.isDirectory()) return transcriptsBelow(host, place);
  return { transcripts: [{ host, file: place, sizeBytes: stat.size, modifiedAt: stat.mtime }], subagents: 0, unreadable: [] };
}

function statsOf(place: string): Stats | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch (error) {
    const details = { field: "files", path: place };
    throw new WorkrailError("INVALID_INPUT", `${place} cannot be read.`, {
      details,
      hint: "Give your user read access to it.",
      cause: error,
    });
  }
}
