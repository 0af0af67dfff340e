import fs from "node:fs";

/** What a test that breaks things saw. */
export interface FaultCounts {
  /** Faults, kills, damages. */
  readonly tries: number;
  /** Of what was done meanwhile, what was answered as done. */
  readonly acknowledged?: number;
  /** Of these, what is not there. */
  readonly lost?: number;
  /** Values that are not what was saved, given without a word. */
  readonly wrong?: number;
  /** Records without their bytes. */
  readonly dangling?: number;
}

/** Adds to the file that `WORKRAIL_FAULT_TALLY` names, for whoever sums it up; nothing without it. Call it before asserting. */
export function tally(counts: FaultCounts): void {
  const file = process.env["WORKRAIL_FAULT_TALLY"];
  if (file !== undefined && file !== "") fs.appendFileSync(file, `${JSON.stringify(counts)}\n`);
}
