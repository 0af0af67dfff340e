import { isDeepStrictEqual } from "node:util";
import type { Ran } from "./engine-process.ts";

export interface Finding {
  readonly isGood: boolean;
  readonly says: string;
}

/** Compares an uninterrupted run with a killed run and the run that resumed it: both must do the same work with the same result. */
export function compareRuns({ whole, killed, resumed }: { readonly whole: Ran; readonly killed: Ran; readonly resumed: Ran }): Finding[] {
  const wasKilled = killed.signal === "SIGKILL" && killed.result === undefined;
  const isSameWork = isDeepStrictEqual([...killed.done, ...resumed.done], whole.done);
  const isSameResult = whole.result !== undefined && JSON.stringify(resumed.result) === JSON.stringify(whole.result);
  return [
    { isGood: wasKilled, says: wasKilled ? "It was killed before its end." : "IT WAS NOT KILLED." },
    { isGood: isSameWork, says: isSameWork ? "Each item was done once." : "ITEMS WERE LEFT OUT OR DONE TWICE." },
    { isGood: isSameResult, says: isSameResult ? "The result is the same, byte for byte." : "THE RESULTS DIFFER." },
  ];
}
