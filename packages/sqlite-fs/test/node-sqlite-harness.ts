import { harnessOver } from "./harness-over.ts";

export const harness = harnessOver("node:sqlite", import.meta.url);
