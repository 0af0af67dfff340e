import { harnessOver } from "./harness-over.ts";

export const harness = harnessOver("better-sqlite3", import.meta.url);
