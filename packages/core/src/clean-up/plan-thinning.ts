import { type AutomaticSession, type AutomaticView, DAY_MS, type Moment, planMove, part, type PlannedMove, type Spared } from "./plan.ts";

/** Tag of the checkpoints that hooks save. */
export const HOOK_TAG = "hook";

const HOUR_MS = 60 * 60 * 1_000;
const WEEK_MS = 7 * DAY_MS;

/**
 * Thins out the checkpoints of hooks: all of the last day stay, then the last of each hour for a week, then the last of each
 * day (UTC). A session's head always stays.
 */
export function planThinning(
  sessions: readonly AutomaticSession[],
  to: "trash" | "nowhere",
  moment: Moment,
): { readonly moves: readonly PlannedMove[]; readonly spared: readonly Spared[] } {
  const plans = sessions.map((session) => {
    const { going, staying } = part({ ...session, checkpoints: superfluous(session.checkpoints, moment.now) }, moment);
    return { moves: planMove(session, going, { to, reason: "thinning" }), spared: staying };
  });
  return { moves: plans.flatMap(({ moves }) => moves), spared: plans.flatMap(({ spared }) => spared) };
}

function superfluous(checkpoints: readonly AutomaticView[], now: Date): readonly AutomaticView[] {
  const last = new Map(checkpoints.map((each) => [slotOf(each, now), each]));
  return checkpoints.filter((each) => !each.isHead && last.get(slotOf(each, now)) !== each);
}

/** The time slot of a checkpoint. The last checkpoint of each slot stays. */
function slotOf({ id, createdAt }: AutomaticView, now: Date): string {
  const age = now.getTime() - createdAt.getTime();
  if (age < DAY_MS) return id;
  const [unit, length] = age < WEEK_MS ? ["hour", HOUR_MS] : ["day", DAY_MS];
  return `${unit} ${Math.floor(createdAt.getTime() / length)}`;
}
