/** One call of a command, whose output is kept in a golden file. */
export interface GoldenCase {
  /** Arguments after the command's name. */
  readonly args?: readonly string[];
  /** Standard input. Default: empty. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Commands that run first and must succeed; their output is not kept. */
  readonly after?: readonly (readonly string[])[];
  /** Files written first, below the folder that holds `project` and `data`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Also runs the case on a terminal, where this text is typed: for colours, progress and questions. */
  readonly typed?: string;
  /** Why the case is not run with `--json` as well. */
  readonly withoutJson?: string;
}

/** Cases of each command, by its full name, such as `trash list`. */
export type GoldenCases = Readonly<Record<string, readonly GoldenCase[]>>;
