import { appendFileSync } from "node:fs";
import process from "node:process";

/** Adds counts to the table of `npm run test:faults`; does nothing elsewhere. Call it before asserting. */
export function tally(counts: Readonly<Record<string, number>>): void {
  const file = process.env["WORKRAIL_FAULT_TALLY"];
  if (file !== undefined && file !== "") appendFileSync(file, `${JSON.stringify(counts)}\n`);
}
