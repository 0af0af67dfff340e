import { DAY_MS, type SessionView } from "./plan.ts";

/** A clock that goes on by more between two rows of the audit log may have been set, or nobody used the store. */
const LONGEST_STEP_MS = 7 * DAY_MS;
/** Rows are written a little after the time that they tell, and clocks are put right by seconds. */
const TOLERANCE_MS = 60 * 60 * 1_000;

/**
 * When the clock last jumped, by what it told right after that: it went back, or on by more than a week at once. A clock cannot
 * prove that it is right, but one that goes on day by day measures how long something lies there.
 *
 * @param times of rows of the audit log, the newest row first.
 * @returns `undefined` when it went on day by day for as long as is known; `now` when nothing is known.
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

/** The later of a time and of when the clock jumped: how long something lies there is known only from then on. */
export function sinceJump(time: Date, jumpedAt: Date | undefined): Date {
  return jumpedAt === undefined || time > jumpedAt ? time : jumpedAt;
}

/** A session as if it had last been used no earlier than the clock jumped, and as if its handles had been given out then. */
export function sessionSinceJump(session: SessionView, jumpedAt: Date | undefined, handleMs: number): SessionView {
  if (jumpedAt === undefined) return session;
  const heldUntil = new Date(jumpedAt.getTime() + handleMs);
  const checkpoints = session.checkpoints.map((each) => {
    return each.shieldedUntil === undefined ? each : { ...each, shieldedUntil: sinceJump(each.shieldedUntil, heldUntil) };
  });
  return { ...session, lastAccessedAt: sinceJump(session.lastAccessedAt, jumpedAt), checkpoints };
}
