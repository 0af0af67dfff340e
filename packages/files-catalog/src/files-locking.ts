import { type Locking, ProcessGate, type SessionId } from "@workrail/core";

/** The store of a single process: whoever is alone in the process is alone in the store. */
export class FilesLocking implements Locking {
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
