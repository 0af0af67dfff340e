/** Task of a child process. The child reports a step only after the step is done. */
export type Task =
  /** Saves at most `most` times and reports `session id number` for each save. The session "pruned" keeps the newest three. */
  | {
      readonly type: "save";
      readonly dataDir: string;
      readonly writer: string;
      readonly sessions: readonly string[];
      readonly most: number;
    }
  /** Saves growing contexts, reports like "save", and compacts each session while it saves to the next. */
  | {
      readonly type: "compact";
      readonly dataDir: string;
      readonly writer: string;
      readonly sessions: readonly string[];
      readonly most: number;
    }
  /** Opens the store, recovers a lost catalog, reports the result, and keeps the store open until its input ends. */
  | { readonly type: "open"; readonly dataDir: string }
  /** Opens the store with one more migration than this version, and kills itself before the nth call of the migration; 0: never. */
  | { readonly type: "migrate"; readonly dataDir: string; readonly killAt: number }
  /** Waits for a line of input, then rebuilds the catalog `times` times. */
  | { readonly type: "rebuild"; readonly dataDir: string; readonly times: number }
  /** Makes a backup, reports when it reaches the blob with the number `stopAt`, and then waits to be killed. */
  | { readonly type: "backup"; readonly dataDir: string; readonly directory: string; readonly stopAt: number }
  /** Holds a lock of a database until its input ends. */
  | { readonly type: "lock"; readonly file: string; readonly begin: "BEGIN IMMEDIATE" | "BEGIN EXCLUSIVE" }
  /** Saves growing contexts until one is refused. Reports each save, then the failure, and then the result of a load. */
  | { readonly type: "fill"; readonly dataDir: string };
