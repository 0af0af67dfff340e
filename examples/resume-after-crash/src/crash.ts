import { setImmediate } from "node:timers/promises";
import type { Saved, WorkrailServer } from "./workrail-server.ts";

export interface Crash {
  /** From sending the save to the kill. */
  readonly afterMs: number;
  /** The answer, when it was faster than the kill. */
  readonly answer: Saved | undefined;
}

/** Sends a save and kills the server at a random moment before its answer is due. */
export async function crashDuring(save: () => Promise<Saved>, server: WorkrailServer, usualMs: number): Promise<Crash> {
  const started = performance.now();
  const killAt = started + usualMs * (0.05 + 0.85 * Math.random());
  let answer: Saved | undefined;
  const answered = save().then(
    (saved) => (answer = saved),
    // The connection is closed under it: that is what is wanted.
    () => undefined,
  );
  // Timers know whole milliseconds only, and a save may take less than two.
  while (performance.now() < killAt) await setImmediate();
  const afterMs = performance.now() - started;
  await server.kill();
  await answered;
  return { afterMs, answer };
}
