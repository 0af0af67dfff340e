import type { TranscriptEvent } from "@workrail/core";
import type { TranscriptFacts } from "./host-transcript.ts";

/** Understands the lines of one host's transcript, in their order. */
export interface TranscriptReader {
  /**
   * Takes a line: UTF-8 without its line feed, only valid during the call. A line that it does not understand is noise.
   *
   * `"rewound"`: the conversation went back to before this reader's first line, so the transcript has to be read from its beginning.
   * A reader that began there never says so.
   */
  accept(line: Buffer): "rewound" | undefined;
  /** May be called once, after the last line. */
  finish(): ReadEvents;
}

/** What a reader made of its lines. */
export interface ReadEvents {
  readonly events: readonly TranscriptEvent[];
  readonly facts: TranscriptFacts;
  /** For the reader of the lines that follow. At most 350 characters. */
  readonly tip: string | undefined;
}

/** Begins a reader. `tip`: of the reader of the lines before; `undefined` at the beginning of the file. */
export type BeginReader = (file: string, tip: string | undefined) => TranscriptReader;
