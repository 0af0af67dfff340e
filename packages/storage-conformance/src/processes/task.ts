import type { CheckpointId, Digest, SessionId } from "@workrail/core";

/** Task of a child process. The process writes each message as one line of JSON to its standard output. */
export type Task =
  /** Saves to a session that keeps everything and, when `pruned` is given, in turn to a session that keeps the newest few. */
  | { readonly type: "save"; readonly sessionId: SessionId; readonly pruned?: SessionId; readonly writer: string; readonly saves: number }
  /** Rebuilds the catalog again and again. */
  | { readonly type: "rebuild"; readonly times: number }
  /** Opens the store and keeps it open. */
  | { readonly type: "hold" };

export interface Assignment {
  /** URL of the harness's module. */
  readonly module: string;
  readonly place: string;
  readonly task: Task;
}

/** Message of a child process, sent only after the event: the store is open, a checkpoint is saved, the catalog is rebuilt. */
export type Message =
  | { readonly told: "open" }
  | {
      readonly told: "saved";
      readonly sessionId: SessionId;
      readonly id: CheckpointId;
      readonly sequence: number;
      /** Digest of the context's JSON, computed by the child process. */
      readonly digest: Digest;
    }
  | { readonly told: "rebuilt"; readonly checkpoints: number };

export type Saved = Extract<Message, { told: "saved" }>;

/** Number of checkpoints that the pruned session keeps. */
export const KEPT_IN_PRUNED = 3;
