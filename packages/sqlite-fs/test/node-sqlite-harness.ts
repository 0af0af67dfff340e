import { harnessOver } from "./harness-over.ts";

/** Failing file operations are the same whichever driver there is, and take the longest: they are left to the other one. */
export const harness = harnessOver("node:sqlite", import.meta.url);
