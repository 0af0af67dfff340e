import type { Worker } from "node:worker_threads";

/** Thread pool requests that can hang: file operations and name lookups. */
const IN_THREADS = /^(?:FSReq|GetAddrInfoReq|GetNameInfoReq)/u;
/** Long enough for requests that do not hang. */
const SETTLE_MS = 300;
const LOOK_EVERY_MS = 10;
/** Time that a finished command waits for a hanging request. */
const HELD_UP_MS = 4_000;

const workers = new Set<Worker>();

/** Tracks workers created from now on, for `endProcess`. */
export function watchWorkers(): void {
  process.on("worker", (worker) => {
    workers.add(worker);
    worker.once("exit", () => workers.delete(worker));
  });
}

/**
 * Ends the process. Node's own exit waits for all of its threads: one that hangs in a system call, such as on a disk that does not respond,
 * would keep the process alive forever. In that case it is killed with SIGKILL.
 */
export async function endProcess(exitCode: number): Promise<void> {
  for (let waitedMs = 0; isHeldUp() && waitedMs < SETTLE_MS; waitedMs += LOOK_EVERY_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  if (isHeldUp()) process.kill(process.pid, "SIGKILL");
  process.exit(exitCode);
}

/** Ends a finished process even if a thread hangs. */
export function endAlthoughHeldUp(): void {
  setTimeout(() => {
    if (isHeldUp()) process.kill(process.pid, "SIGKILL");
  }, HELD_UP_MS).unref();
}

function isHeldUp(): boolean {
  return workers.size > 0 || process.getActiveResourcesInfo().some((name) => IN_THREADS.test(name));
}
