import type { Catalog, CheckpointId } from "@workrail/core";
import type { FaultPlan } from "../faults.ts";
import type { Workbench } from "../workbench.ts";

/** What another process can be told to do with the store it has open: what takes and gives nothing but data. */
export interface OrderedParts {
  readonly bench: Pick<
    Workbench,
    "save" | "load" | "pin" | "compact" | "collectGarbage" | "verify" | "repair" | "erase" | "finishErasures" | "idle"
  >;
  readonly catalog: Omit<Catalog, "replaceBlob" | "markDamaged" | "reclaim">;
}

/** One call, as it is sent to the other process. */
export interface Order {
  readonly number: number;
  readonly part: keyof OrderedParts;
  readonly method: string;
  readonly args: readonly unknown[];
  /** Its clock says this, and goes on from there. */
  readonly now: Date;
  /** What a checkpoint gets that has no id of its own. */
  readonly nextId: CheckpointId;
  /** Armed before it; a crash ends the process. */
  readonly fault: FaultPlan | undefined;
}

/** What came of it. An error is told by what a program can know of it. */
export interface Answer {
  readonly number: number;
  readonly struck: boolean;
  readonly result?: unknown;
  readonly error?: { readonly code: string | undefined; readonly message: string };
}
