import type { SessionId } from "../model/ids.ts";

/**
 * Says who may work when. A store that is open holds its lock shared, from opening to closing; a crash releases it.
 *
 * `inOrder` implies `shared`. Never call one of the three inside another: whoever wants to be alone keeps the inner one out,
 * and waits for the outer one. Work that is handed to something that asks for a lock of its own hands it `ALREADY_HELD`.
 */
export interface Locking {
  /** Runs `work` after all earlier work of this session in this process: saves keep the order of their calls. */
  inOrder<T>(session: SessionId, work: () => Promise<T>): Promise<T>;
  /** Runs `work` whenever the store is not held exclusively by this process. */
  shared<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work` alone: nothing else of this process is under way, and no other process has the store open.
   * Rejects with `STORE_IN_USE` when that cannot be had in time, or `isNeeded`, which is asked now and then while others
   * have the store open, says that it need not be had any more. Who waits for no other process need not ask.
   */
  exclusively<T>(work: () => Promise<T>, isNeeded?: () => Promise<boolean>): Promise<T>;
}
