import type { TranscriptEvent } from "@workrail/core";

/** Hosts whose transcripts can be read. */
export const TRANSCRIPT_HOSTS = ["claude-code", "codex", "gemini", "opencode"] as const;
/** The name of a host whose transcripts can be read. */
export type TranscriptHost = (typeof TRANSCRIPT_HOSTS)[number];

/** Position up to which a transcript was read. JSON, at most 500 bytes. */
export interface TranscriptPosition {
  /** Offset in bytes after the last whole line that was read. */
  readonly offset: number;
  /** Digest of the file's first bytes: a different digest means that the file was rewritten. */
  readonly head: string;
  /** Opaque text: the entries that the next line can continue, for hosts that link or repeat entries. */
  readonly tip?: string | undefined;
}

/** Facts of a session from its transcript. */
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
  /** True for a session of a sub-agent. */
  readonly isSubagent?: boolean | undefined;
}

/** The part of a transcript that one call read. */
export interface TranscriptPart {
  /** Events after the given position; all events when `restarted`. */
  readonly events: readonly TranscriptEvent[];
  readonly position: TranscriptPosition;
  /** True when the file was read from its beginning: it is new, shorter than before, a different file, or the person went back to an earlier turn. */
  readonly restarted: boolean;
  readonly facts: TranscriptFacts;
  /** True when a limit of time or bytes ended the call before the end of the file: call again. */
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
