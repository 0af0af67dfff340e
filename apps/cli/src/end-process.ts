import type { Worker } from "node:worker_threads";

/** What Node asks a thread for that can hang: files and names of machines. */
const IN_THREADS = /^(?:FSReq|GetAddrInfoReq|GetNameInfoReq)/u;
/** Long enough for what does not hang. */
const SETTLE_MS = 300;
const LOOK_EVERY_MS = 10;
/** A command that is done waits this long for what hangs. */
const HELD_UP_MS = 4_000;

const workers = new Set<Worker>();

/** Has `endProcess` know the workers that are made from now on. */
export function watchWorkers(): void {
  process.on("worker", (worker) => {
    workers.add(worker);
    worker.once("exit", () => workers.delete(worker));
  });
}

/**
 * Ends the process. Node's own end waits for all of its threads: one that hangs in the system, as on a disk that does not answer,
 * would keep the process for ever. Then it is ended by SIGKILL.
 */
export async function endProcess(exitCode: number): Promise<void> {
  for (let waitedMs = 0; isHeldUp() && waitedMs < SETTLE_MS; waitedMs += LOOK_EVERY_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  if (isHeldUp()) process.kill(process.pid, "SIGKILL");
  process.exit(exitCode);
}

/** A process that is otherwise done ends although a thread hangs. */
export function endAlthoughHeldUp(): void {
  setTimeout(() => {
    if (isHeldUp()) process.kill(process.pid, "SIGKILL");
  }, HELD_UP_MS).unref();
}

function isHeldUp(): boolean {
  return workers.size > 0 || process.getActiveResourcesInfo().some((name) => IN_THREADS.test(name));
}
