import { bytesOf, part, type SessionView } from "../../clean-up/plan.ts";
import { isAtRest, planRoom } from "../../clean-up/plan-room.ts";
import { ALREADY_HELD } from "../../locking/process-locking.ts";
import type { SessionId } from "../../model/ids.ts";
import { carryOut, type CleanUpPorts, type CleanUpReport } from "./carry-out.ts";
import { eachSession, viewSession, viewTrash } from "./view-store.ts";
import { sumUsage } from "../../catalog/queries/sum-usage.ts";

export interface RoomNeeded {
  /** Bytes to free. */
  readonly bytes: number;
  /** Fewer freed bytes would not help; then nothing is removed. */
  readonly leastBytes: number;
  /** Sessions in use: nothing of them is removed. */
  readonly inUse: ReadonlySet<SessionId>;
}

/** Makes room on a full disk, as the rules of `planRoom` allow. The caller holds the store. */
export async function makeRoom({ catalog, blobs, clock }: Omit<CleanUpPorts, "locking">, needed: RoomNeeded): Promise<CleanUpReport> {
  const now = clock.now();
  const { liveBytes, trashBytes } = await sumUsage(catalog);
  const trash = await viewTrash(catalog);
  const sessions: SessionView[] = [];
  let missing = needed.bytes - bytesOf(trash);
  for await (const session of eachSession(catalog, {})) {
    if (missing <= 0 || !isAtRest(session, now)) break;
    const view = await viewSession(catalog, session);
    sessions.push(view);
    missing -= bytesOf(part(view, { now, inUse: needed.inUse }).going);
  }
  const bytes = liveBytes + trashBytes;
  const plan = planRoom({ sessions, trash, bytes }, needed.bytes, { now, inUse: needed.inUse });
  const moves = bytesOf(plan.moves) < needed.leastBytes ? [] : plan.moves;
  return carryOut({ catalog, blobs, clock, locking: ALREADY_HELD }, { ...plan, moves }, { bytes, now });
}
