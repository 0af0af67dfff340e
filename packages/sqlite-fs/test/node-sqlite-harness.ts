import { harnessOver } from "./harness-over.ts";

/** Harness without file faults: they do not depend on the driver and take longest, so only the other driver's harness has them. */
export const harness = harnessOver("node:sqlite", import.meta.url);
