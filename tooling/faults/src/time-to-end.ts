import { spawnSync } from "node:child_process";

const END_MS = 5_000;

/** Returns the milliseconds in which a process must end: five seconds, plus an allowance for a busy machine. */
export function timeToEnd(): number {
  const started = performance.now();
  spawnSync(process.execPath, ["-e", "0"]);
  return END_MS + 5 * (performance.now() - started);
}
