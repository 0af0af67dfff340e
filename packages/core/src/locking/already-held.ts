import type { Locking } from "../ports/locking.ts";

/** For what is done within a hold of the store: that is enough, and to wait for another beside it might never end. */
export const ALREADY_HELD: Locking = {
  inOrder: (_session, work) => work(),
  shared: (work) => work(),
  exclusively: (work) => work(),
};
