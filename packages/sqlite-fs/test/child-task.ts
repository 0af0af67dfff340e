/** What a child process does. Whatever it tells is true before it is told. */
export type Task =
  /** Saves, and tells `session id number` of each save; `most` ends it. The session "pruned" keeps the newest three. */
  | {
      readonly type: "save";
      readonly dataDir: string;
      readonly writer: string;
      readonly sessions: readonly string[];
      readonly most: number;
    }
  /** Saves contexts that grow, tells like "save", and compacts each session while it saves to the next. */
  | {
      readonly type: "compact";
      readonly dataDir: string;
      readonly writer: string;
      readonly sessions: readonly string[];
      readonly most: number;
    }
  /** Opens the store, recovers what was lost, tells how, and keeps it open until its input ends. */
  | { readonly type: "open"; readonly dataDir: string }
  /** Opens the store, which has one more migration than this version, and kills itself before the nth call after that began; 0: never. */
  | { readonly type: "migrate"; readonly dataDir: string; readonly killAt: number }
  /** Waits until its input has a line, then does that. */
  | { readonly type: "rebuild"; readonly dataDir: string; readonly times: number }
  /** Makes a backup, and tells when it has come to the blob with this number; then it waits to be killed. */
  | { readonly type: "backup"; readonly dataDir: string; readonly directory: string; readonly stopAt: number }
  /** Holds a lock of a database until its input ends. */
  | { readonly type: "lock"; readonly file: string; readonly begin: "BEGIN IMMEDIATE" | "BEGIN EXCLUSIVE" }
  /** Saves contexts that grow until one is refused; tells each, then the failure, and then whether a load still works. */
  | { readonly type: "fill"; readonly dataDir: string };
