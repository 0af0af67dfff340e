import type { PartKind } from "./host-part.ts";

/** A file before and after the change. Texts hold every character, with the byte order mark. */
export interface FileChange {
  /** Path under which the host knows the file. */
  readonly file: string;
  /** The real path of the file, with symbolic links resolved. */
  readonly target: string;
  /** `undefined`: there is no file. */
  readonly before: string | undefined;
  /** `undefined`: the file is removed. */
  readonly after: string | undefined;
  /** The text before our first entry, as far as it is known; `undefined`: there was no file. */
  readonly original: string | undefined;
  /** The kinds of our entries in the file. */
  readonly parts: readonly PartKind[];
  readonly description: string;
}

/** A file that stays unchanged, and the reason. */
export interface SetupFault {
  readonly file: string;
  readonly message: string;
  readonly hint?: string | undefined;
}
