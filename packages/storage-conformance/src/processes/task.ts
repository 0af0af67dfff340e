import type { CheckpointId, Digest, SessionId } from "@workrail/core";

/** What a child process does with the store. Everything it tells is one line of JSON on its standard output. */
export type Task =
  /** Saves in turn to a session that keeps everything and, when there is one, to another that keeps the newest few. */
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

/** The store is open; a checkpoint is saved; the catalog was rebuilt. Told after it is true, never before. */
export type Message =
  | { readonly told: "open" }
  | {
      readonly told: "saved";
      readonly sessionId: SessionId;
      readonly id: CheckpointId;
      readonly sequence: number;
      /** Of the context's JSON, computed by the one who gave it. */
      readonly digest: Digest;
    }
  | { readonly told: "rebuilt"; readonly checkpoints: number };

export type Saved = Extract<Message, { told: "saved" }>;

/** Checkpoints that the pruned session keeps. */
export const KEPT_IN_PRUNED = 3;
