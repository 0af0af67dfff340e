import type { Locking } from "../ports/locking.ts";

/** Locking for work inside an existing hold of the store. It takes no lock: waiting for a second one might never end. */
export const ALREADY_HELD: Locking = {
  inOrder: (_session, work) => work(),
  shared: (work) => work(),
  exclusively: (work) => work(),
};
