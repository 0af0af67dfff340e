import { appendFileSync } from "node:fs";
import process from "node:process";

/** Counts for the table of `npm run test:faults`; nothing without it. Call it before asserting. */
export function tally(counts: Readonly<Record<string, number>>): void {
  const file = process.env["WORKRAIL_FAULT_TALLY"];
  if (file !== undefined && file !== "") appendFileSync(file, `${JSON.stringify(counts)}\n`);
}
