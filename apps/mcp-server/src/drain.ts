import type { Log } from "@workrail/core";
import { endProcess, watchWorkers } from "../../cli/src/end-process.ts";

/** Time for calls that are running when the server is told to stop. */
const GRACE_MS = 3_000;
/** Time for all of it, closing the store included: a hook that hangs must not keep the process. */
const TOTAL_MS = 4_400;

/** What has to happen between being told to stop and being gone. */
export interface DrainSteps {
  /** Takes no more requests. */
  stop(): void;
  /** Resolves when everything taken has been answered and every answer has left. */
  whenIdle(): Promise<void>;
  /** Lets go of the connection and of whatever the tools hold open, in this order. */
  readonly close: readonly (() => void | Promise<void>)[];
  readonly log: Log;
}

/** Ends the process in good order. The first call decides; later ones change nothing. */
export type Drain = (reason: string, exitCode?: number) => void;

/** Builds the one way in which the server ends: stop reading, answer, close, exit. */
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

/** Lets the usual reasons to stop end the process through `drain`. */
export function drainOnSignals(drain: Drain, log: Log): void {
  watchWorkers();
  // Windows has the last one alone for a process that is no terminal's: Ctrl-Break. Elsewhere it never comes.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"] as const) {
    process.on(signal, () => drain(signal));
  }
  process.on("unhandledRejection", (error) => log.error("unhandled rejection", { error }));
  process.on("uncaughtException", (error) => {
    log.error("uncaught exception", { error });
    drain("uncaught exception", 1);
  });
}
