import type { WorkrailError } from "@workrail/core";
import type { IncomingSave } from "./hooks/incoming-save.ts";

/** A checkpoint of another store, by what identifies it. */
export interface PushedId {
  readonly id: string;
  readonly sessionId: string;
  readonly kind: string;
  readonly createdAt: Date;
}

/** A checkpoint of another store. */
export interface PushedCheckpoint extends PushedId {
  readonly context: object;
  readonly parentId: string | null;
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly attributes?: object | undefined;
  readonly agentId?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly project?: string | undefined;
  readonly layers?: object | undefined;
  readonly shieldedUntil?: Date | undefined;
  /** Labels of the session, added together with the checkpoint. */
  readonly session?: { readonly tags: readonly string[]; readonly pins: readonly string[] } | undefined;
}

export interface FindPushedParams {
  /** At most 1,000. */
  readonly checkpoints: readonly PushedId[];
}

/** `present`: the store has it. `removed`: the store had it, and stays without it. `absent`: the store never had it. */
export type PushedState = "present" | "removed" | "absent";

export interface FindPushedResult {
  /** In the order of the checkpoints. */
  states: PushedState[];
  /** Present checkpoints that have another id in the store, because their own was taken. Absent: none. */
  renamed?: { readonly id: string; readonly now: string }[];
}

export interface TakePushedParams {
  /** In their order. At most 1,000. */
  readonly checkpoints: readonly PushedCheckpoint[];
}

export interface TakePushedResult {
  /** In the order of the checkpoints. */
  outcomes: TakenPushed[];
}

/** `waiting`: an earlier one of its session was refused. */
export type TakenPushed =
  | {
      readonly status: "taken" | "present";
      /** Its own, unless another checkpoint has it. */
      readonly checkpointId: string;
      /** The session's head before it. */
      readonly head?: string;
    }
  | { readonly status: "refused"; readonly error: WorkrailError }
  | { readonly status: "waiting" };

export interface TakeSavesParams {
  /** In their order. At most 1,000. */
  readonly saves: readonly IncomingSave[];
}

export interface TakeSavesResult {
  /** In the order of the saves. */
  outcomes: TakenSave[];
}

export type TakenSave =
  | {
      readonly status: "taken" | "present";
      /** Earlier messages of the conversation are missing in the store. */
      readonly hasGap?: true;
    }
  | { readonly status: "refused"; readonly error: WorkrailError };
