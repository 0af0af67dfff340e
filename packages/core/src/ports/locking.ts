import type { SessionId } from "../model/ids.ts";

/**
 * Orders the work on a store. An open store holds its lock shared from opening to closing; a crash releases it.
 *
 * `inOrder` implies `shared`. Never nest calls of the three methods: a waiting exclusive call blocks the inner call and waits for
 * the outer one. Work passed to a component that takes a lock of its own passes `ALREADY_HELD`.
 */
export interface Locking {
  /** Runs `work` after all earlier work of this session in this process: saves keep the order of their calls. */
  inOrder<T>(session: SessionId, work: () => Promise<T>): Promise<T>;
  /** Runs `work` while this process does not hold the store exclusively. */
  shared<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work` alone: no other work of this process is running, and no other process has the store open. Rejects with
   * `STORE_IN_USE` when the lock cannot be obtained in time, or when `isNeeded` returns false. `isNeeded` is polled only while
   * other processes have the store open.
   */
  exclusively<T>(work: () => Promise<T>, isNeeded?: () => Promise<boolean>): Promise<T>;
}
