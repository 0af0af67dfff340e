/** Writes conversations as files for people, inside of a project. */
export interface TranscriptFiles {
  /**
   * Writes a new file under the first name that is free, and makes the folders that are missing. When it resolves the file is on
   * the disk. Names may be given by several processes at a time: nobody's file is ever replaced, no link is followed, and nothing is
   * written outside of the root. When it rejects there is no such file. Repeated it writes another one.
   *
   * Rejects with `STORAGE_UNAVAILABLE` when a folder cannot be made or the file not written, `details.step` saying which
   * (`folder`, `file`), and with `CONFLICT` when no name is free (`name`).
   */
  write(transcript: NewTranscript): Promise<WrittenTranscript>;
}

export interface NewTranscript {
  /** From the root downwards; each a plain name. */
  readonly folders: readonly string[];
  /** Plain names to try, in their order. */
  readonly names: Iterable<string>;
  readonly text: string;
}

export interface WrittenTranscript {
  /** Absolute path. */
  readonly file: string;
  readonly filename: string;
  /** Whether the root is a project's; else it is the working directory, for want of one. */
  readonly isInProject: boolean;
}
