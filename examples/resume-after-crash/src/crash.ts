import { setImmediate } from "node:timers/promises";
import type { Saved, WorkrailServer } from "./workrail-server.ts";

export interface Crash {
  /** Milliseconds between sending the save and the kill. */
  readonly afterMs: number;
  /** The answer, if the server sent it before the kill. */
  readonly answer: Saved | undefined;
}

/** Sends a save and kills the server at a random moment before its answer is due. */
export async function crashDuring(save: () => Promise<Saved>, server: WorkrailServer, usualMs: number): Promise<Crash> {
  const started = performance.now();
  const killAt = started + usualMs * (0.05 + 0.85 * Math.random());
  let answer: Saved | undefined;
  const answered = save().then(
    (saved) => (answer = saved),
    // The kill closes the connection, and the call rejects; this is intended.
    () => undefined,
  );
  // Timers have a resolution of a millisecond, and a save may take less than two.
  while (performance.now() < killAt) await setImmediate();
  const afterMs = performance.now() - started;
  await server.kill();
  await answered;
  return { afterMs, answer };
}
