/** Writes conversations as files for people, inside a project. */
export interface TranscriptFiles {
  /**
   * Writes a new file under the first free name and creates missing folders. The file is on disk when the promise resolves. Several
   * processes may write at the same time: no file is ever replaced, no link is followed, and nothing is written outside the root.
   * After a rejection there is no such file. Repeating the call writes another file.
   *
   * Rejects with `STORAGE_UNAVAILABLE` when a folder or the file cannot be written; `details.step` says which (`folder`, `file`).
   * Rejects with `CONFLICT` when no name is free (`name`).
   */
  write(transcript: NewTranscript): Promise<WrittenTranscript>;
  /** Returns the files of another project. Absent: all projects share them. */
  in?(project: string): TranscriptFiles;
}

export interface NewTranscript {
  /** Folders from the root downwards, each a plain name. */
  readonly folders: readonly string[];
  /** Plain names to try, in order. */
  readonly names: Iterable<string>;
  readonly text: string;
}

export interface WrittenTranscript {
  /** Absolute path. */
  readonly file: string;
  readonly filename: string;
  /** True when the root is a project's; false when it is the working directory because there is no project. */
  readonly isInProject: boolean;
}
