/** One way to call a command, whose output is kept in a golden file. */
export interface GoldenCase {
  /** What stands after the command's name. */
  readonly args?: readonly string[];
  /** What standard input holds; default: nothing. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Command lines that come before it, each of which must succeed; nothing is kept of them. */
  readonly after?: readonly (readonly string[])[];
  /** Files that are written before it, below the folder that holds `project` and `data`. */
  readonly files?: Readonly<Record<string, string>>;
  /** It is also called on a terminal, where this is typed: for what draws there, such as colours, progress and questions. */
  readonly typed?: string;
  /** It is not called with `--json` too, for this reason. */
  readonly withoutJson?: string;
}

/** The cases of each command, by its whole name: `trash list`. */
export type GoldenCases = Readonly<Record<string, readonly GoldenCase[]>>;
