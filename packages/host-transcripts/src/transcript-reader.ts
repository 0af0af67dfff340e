import type { TranscriptEvent } from "@workrail/core";
import type { TranscriptFacts } from "./host-transcript.ts";

/** Reads the lines of one host's transcript in order. */
export interface TranscriptReader {
  /**
   * Takes a line: UTF-8 without its line feed, only valid during the call. Skips unknown lines.
   *
   * `"rewound"`: the conversation went back beyond this reader's first line, so the transcript must be read from its beginning.
   * A reader that began at the beginning never returns this.
   */
  accept(line: Buffer): "rewound" | undefined;
  /** Call once, after the last line. */
  finish(): ReadEvents;
}

/** The result of reading lines. */
export interface ReadEvents {
  readonly events: readonly TranscriptEvent[];
  readonly facts: TranscriptFacts;
  /** State for the reader of the following lines. At most 350 characters. */
  readonly tip: string | undefined;
}

/** Starts a reader. `tip`: the state from the reader of the earlier lines; `undefined` at the beginning of the file. */
export type BeginReader = (file: string, tip: string | undefined) => TranscriptReader;
