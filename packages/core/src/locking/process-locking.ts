import type { SessionId } from "../model/ids.ts";
import type { Locking } from "../ports/locking.ts";
import { ProcessGate } from "./process-gate.ts";

/** Locking for a store that no other process changes, or whose changes by others do not matter. */
export class ProcessLocking implements Locking {
  readonly #gate = new ProcessGate();

  inOrder<T>(session: SessionId, work: () => Promise<T>): Promise<T> {
    return this.#gate.inOrder(session, work);
  }

  shared<T>(work: () => Promise<T>): Promise<T> {
    return this.#gate.shared(work);
  }

  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#gate.alone(work);
  }
}
