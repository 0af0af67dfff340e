import { DAY_MS, type SessionView } from "./plan.ts";

/** Longest plausible step between two audit rows. After a longer step the clock may have been set, or the store was unused. */
const LONGEST_STEP_MS = 7 * DAY_MS;
/** Tolerated step backwards: rows are written a little after the time they state, and clocks are corrected by seconds. */
const TOLERANCE_MS = 60 * 60 * 1_000;

/**
 * Returns the time of the clock right after its last jump: backwards, or forwards by more than a week at once. A clock cannot
 * prove that it is right, but a clock that advances day by day measures ages correctly.
 *
 * @param times times of audit rows, newest first.
 * @returns `undefined` when no known step is a jump; `now` when no rows are known.
 */
export function lastJump(times: readonly Date[], now: Date): Date | undefined {
  if (times.length === 0) return now;
  let later = now;
  for (const time of times) {
    const stepMs = later.getTime() - time.getTime();
    if (stepMs > LONGEST_STEP_MS || stepMs < -TOLERANCE_MS) return later;
    later = time;
  }
  return undefined;
}

/** Returns the later of a time and the clock's jump. Ages are only known from the jump on. */
export function sinceJump(time: Date, jumpedAt: Date | undefined): Date {
  return jumpedAt === undefined || time > jumpedAt ? time : jumpedAt;
}

/** Returns a session as if it was last used, and its handles were issued, no earlier than the jump of the clock. */
export function sessionSinceJump(session: SessionView, jumpedAt: Date | undefined, handleMs: number): SessionView {
  if (jumpedAt === undefined) return session;
  const heldUntil = new Date(jumpedAt.getTime() + handleMs);
  const checkpoints = session.checkpoints.map((each) => {
    return each.shieldedUntil === undefined ? each : { ...each, shieldedUntil: sinceJump(each.shieldedUntil, heldUntil) };
  });
  return { ...session, lastAccessedAt: sinceJump(session.lastAccessedAt, jumpedAt), checkpoints };
}
