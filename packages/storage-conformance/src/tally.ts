import fs from "node:fs";

/** Counts of a test that injects faults. */
export interface FaultCounts {
  /** Number of faults, kills or damages. */
  readonly tries: number;
  /** Number of operations that were acknowledged meanwhile. */
  readonly acknowledged?: number;
  /** Number of acknowledged operations that are lost. */
  readonly lost?: number;
  /** Number of wrong values that were returned without an error. */
  readonly wrong?: number;
  /** Number of records without their blob. */
  readonly dangling?: number;
}

/** Appends counts to the file that `WORKRAIL_FAULT_TALLY` names; does nothing without the variable. Call it before assertions. */
export function tally(counts: FaultCounts): void {
  const file = process.env["WORKRAIL_FAULT_TALLY"];
  if (file !== undefined && file !== "") fs.appendFileSync(file, `${JSON.stringify(counts)}\n`);
}
