import type { CheckpointId } from "@workrail/core";
import type { StorageInUse } from "../storage-in-use.ts";
import type { FaultPlan } from "../faults.ts";
import type { Workbench } from "../workbench.ts";

/** Methods that another process can call on its open store: their arguments and results are only data. */
export interface OrderedParts {
  readonly bench: Pick<
    Workbench,
    "save" | "load" | "pin" | "compact" | "collectGarbage" | "verify" | "repair" | "erase" | "finishErasures" | "idle"
  >;
  readonly catalog: Omit<StorageInUse["catalog"], "change" | "replaceBlob" | "markDamaged" | "reclaim">;
}

/** One call, sent to the other process. */
export interface Order {
  readonly number: number;
  readonly part: keyof OrderedParts;
  readonly method: string;
  readonly args: readonly unknown[];
  /** Time to which the other process sets its clock. */
  readonly now: Date;
  /** Id for a checkpoint that is saved without one. */
  readonly nextId: CheckpointId;
  /** Fault that is armed before the call; a crash ends the process. */
  readonly fault: FaultPlan | undefined;
}

/** Result of a call. An error has its code and message. */
export interface Answer {
  readonly number: number;
  readonly struck: boolean;
  readonly result?: unknown;
  readonly error?: { readonly code: string | undefined; readonly message: string };
}
