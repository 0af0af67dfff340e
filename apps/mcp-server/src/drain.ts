import type { Log } from "@workrail/core";
import { endProcess, watchWorkers } from "@workrail/process";

/** Time limit of running calls after the server gets the signal to stop. */
const GRACE_MS = 3_000;
/** Time limit of the whole shutdown, closing the store included: a step that hangs must not keep the process alive. */
const TOTAL_MS = 4_400;

/** Steps of the shutdown. */
export interface DrainSteps {
  /** Stops accepting requests. */
  stop(): void;
  /** Resolves when all accepted requests are answered and all answers are sent. */
  whenIdle(): Promise<void>;
  /** Closes the connection and everything the tools hold open, in this order. */
  readonly close: readonly (() => void | Promise<void>)[];
  readonly log: Log;
}

/** Ends the process in an orderly way. Only the first call has an effect. */
export type Drain = (reason: string, exitCode?: number) => void;

/** Creates the shutdown sequence: stop reading, answer, close, exit. */
export function createDrain(steps: DrainSteps): Drain {
  let isDraining = false;
  return (reason, exitCode = 0) => {
    if (!isDraining) {
      isDraining = true;
      void end(steps, reason, exitCode);
    }
  };
}

async function end(steps: DrainSteps, reason: string, exitCode: number): Promise<void> {
  try {
    await drain(steps, reason);
  } finally {
    await endProcess(exitCode);
  }
}

async function drain(steps: DrainSteps, reason: string): Promise<void> {
  const started = performance.now();
  steps.log.info("stopping", { reason });
  steps.stop();
  if (!(await settlesWithin(steps.whenIdle(), GRACE_MS))) {
    steps.log.warn("stopping before every call was answered", { graceMs: GRACE_MS });
  }
  for (const close of steps.close) {
    try {
      const leftMs = TOTAL_MS - (performance.now() - started);
      if (!(await settlesWithin(close(), leftMs))) {
        steps.log.warn("stopping before everything was closed", { totalMs: TOTAL_MS });
      }
    } catch (error) {
      steps.log.error("closing failed", { error });
    }
  }
}

async function settlesWithin(work: void | Promise<void>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([Promise.resolve(work).then(() => true), limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs `drain` on signals and fatal errors. */
export function drainOnSignals(drain: Drain, log: Log): void {
  watchWorkers();
  // SIGBREAK (Ctrl-Break) is the only signal on Windows for a process without a terminal, and does not exist elsewhere.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"] as const) {
    process.on(signal, () => drain(signal));
  }
  process.on("unhandledRejection", (error) => log.error("unhandled rejection", { error }));
  process.on("uncaughtException", (error) => {
    log.error("uncaught exception", { error });
    drain("uncaught exception", 1);
  });
}
