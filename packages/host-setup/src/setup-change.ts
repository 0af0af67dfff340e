import type { PartKind } from "./host-part.ts";

/** A file as it is and as it will be. Texts hold every character of the file, a byte order mark too. */
export interface FileChange {
  /** As the host names it. */
  readonly file: string;
  /** The file itself: where symbolic links lead. */
  readonly target: string;
  /** `undefined`: there is no file. */
  readonly before: string | undefined;
  /** `undefined`: the file is removed. */
  readonly after: string | undefined;
  /** What was there before any entry of ours, as far as that can be told; `undefined`: no file. */
  readonly original: string | undefined;
  /** The entries of ours that it is about. */
  readonly parts: readonly PartKind[];
  readonly description: string;
}

/** A file that is left as it is, and why. */
export interface SetupFault {
  readonly file: string;
  readonly message: string;
  readonly hint?: string | undefined;
}
