import type { TranscriptEvent } from "@workrail/core";

/** Programs whose transcripts are read. */
export const TRANSCRIPT_HOSTS = ["claude-code", "codex", "gemini", "opencode"] as const;
export type TranscriptHost = (typeof TRANSCRIPT_HOSTS)[number];

/** How far a transcript was read. JSON, at most 500 bytes. */
export interface TranscriptPosition {
  /** Bytes read, up to the end of the last whole line. */
  readonly offset: number;
  /** Of the file's first bytes: another digest means that the file was written anew. */
  readonly head: string;
  /** Entries that the next line may continue, where the host links or repeats entries. Opaque. */
  readonly tip?: string | undefined;
}

/** What a transcript says of its session. */
export interface TranscriptFacts {
  readonly sessionId?: string | undefined;
  /** Directory in which the agent works. */
  readonly cwd?: string | undefined;
  /** ISO 8601. */
  readonly startedAt?: string | undefined;
  readonly lastAt?: string | undefined;
  readonly branch?: string | undefined;
  /** The host's own title of the session. */
  readonly title?: string | undefined;
  /** It is of a sub-agent. */
  readonly isSubagent?: boolean | undefined;
}

/** What was read of a transcript. */
export interface TranscriptPart {
  /** Since the given position; all there is when `restarted`. */
  readonly events: readonly TranscriptEvent[];
  readonly position: TranscriptPosition;
  /** The file was read from its beginning: it is new, shorter than before, another file, or the person went back to an earlier turn. */
  readonly restarted: boolean;
  readonly facts: TranscriptFacts;
  /** The time was up, or enough was read, before the end of the file was reached: call again. */
  readonly isPartial: boolean;
}

/** A transcript on disk. */
export interface FoundTranscript {
  readonly host: TranscriptHost;
  /** Absolute path. */
  readonly file: string;
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}
