import { sessionSinceJump, sinceJump } from "../../clean-up/clock-jump.ts";
import { bytesOf, DAY_MS, part, type SessionView, type StoreView } from "../../clean-up/plan.ts";
import { excessOf, isUnused, planUpkeep, type UpkeepPolicy } from "../../clean-up/plan-upkeep.ts";
import type { SessionId } from "../../model/ids.ts";
import { carryOut, type CleanUpOptions, type CleanUpPorts, type CleanUpReport } from "./carry-out.ts";
import { findClockJump } from "../audit/find-clock-jump.ts";
import { eachSession, viewAutomatic, viewSession, viewTrash, viewUnusedAsides } from "./view-store.ts";
import { sumUsage } from "../../catalog/queries/sum-usage.ts";
import { commit } from "../../catalog/rules/commit.ts";

export interface UpkeepOptions extends CleanUpOptions {
  /** Sessions in use: nothing of them is removed. Default: none. */
  readonly inUse?: ReadonlySet<SessionId> | undefined;
  /**
   * True for an automatic clean-up, which does not trust the clock: no age reaches further back than the clock's last jump. Default
   * `false`.
   */
  readonly doubtsClock?: boolean | undefined;
}

/** Sessions forgotten per transaction: few enough that a waiting save hardly notices. */
const BATCH = 50;

/**
 * Applies a policy to a store: removes checkpoints unused for long, makes room in a full store, forgets empty sessions, and
 * removes unfinished files of writers that are gone. Records itself in the audit log, at the time of all removals.
 */
export async function cleanUp(ports: CleanUpPorts, policy: UpkeepPolicy, options: UpkeepOptions = {}): Promise<CleanUpReport> {
  const { inUse = new Set() } = options;
  const now = ports.clock.now();
  const jumpedAt = options.doubtsClock === true ? await findClockJump(ports.catalog, now) : undefined;
  const store = await ports.locking.shared(() => viewFor(ports, policy, { inUse, now, jumpedAt }));
  const report = await carryOut(ports, planUpkeep(store, policy, { now, inUse }), { ...options, bytes: store.bytes, now });
  const forgotten = isYoung(jumpedAt, DAY_MS, now) ? [] : await forgetEmpty(ports, options, now);
  if (options.dryRun !== true && options.signal?.aborted !== true) {
    const done = { at: now, action: "clean-up", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
    await ports.locking.shared(async () => {
      await ports.blobs.removeAbandoned();
      await ports.catalog.change(commit({ audit: [done] }));
    });
  }
  return { ...report, forgotten };
}

/** Forgets empty sessions, except on the day of their last use: somebody who works in one still needs its pins and tags. */
async function forgetEmpty(
  { catalog, locking }: CleanUpPorts,
  { inUse = new Set(), dryRun, signal, pause }: UpkeepOptions,
  now: Date,
): Promise<readonly SessionId[]> {
  const unusedSince = new Date(now.getTime() - DAY_MS);
  const empty: SessionId[] = [];
  await locking.shared(async () => {
    for await (const { id } of eachSession(catalog, { unusedSince, empty: true })) if (!inUse.has(id)) empty.push(id);
  });
  if (dryRun === true) return empty;
  const forgotten: SessionId[] = [];
  for (let start = 0; start < empty.length; start += BATCH) {
    if (signal?.aborted === true) break;
    const sessions = empty.slice(start, start + BATCH);
    const outcome = await locking.shared(() => catalog.change(commit({ forget: { sessions, unusedSince, at: now }, audit: [] })));
    if (outcome.status === "committed") forgotten.push(...outcome.forgotten);
    await pause?.();
  }
  return forgotten;
}

interface Moment {
  readonly inUse: ReadonlySet<SessionId>;
  readonly now: Date;
  readonly jumpedAt: Date | undefined;
}

/** Reads only the sessions that may be affected: a plan must not read the whole store. */
async function viewFor(
  { catalog }: Pick<CleanUpPorts, "catalog">,
  policy: UpkeepPolicy,
  { inUse, now, jumpedAt }: Moment,
): Promise<StoreView> {
  const { liveBytes, trashBytes } = await sumUsage(catalog);
  const bytes = liveBytes + trashBytes;
  const unusedSince = new Date(now.getTime() - policy.asideMs);
  const asides = isYoung(jumpedAt, policy.asideMs, now) ? [] : await viewUnusedAsides(catalog, unusedSince);
  const automatic = isYoung(jumpedAt, DAY_MS, now) ? [] : await viewAutomatic(catalog, new Date(now.getTime() - DAY_MS));
  const sessions: SessionView[] = [];
  let excess = excessOf(bytes, policy);
  for await (const session of eachSession(catalog, {})) {
    const isDue = isUnused({ lastAccessedAt: sinceJump(session.lastAccessedAt, jumpedAt) }, policy, now);
    if (excess <= 0 && !isDue) break;
    const view = sessionSinceJump(await viewSession(catalog, session), jumpedAt, policy.asideMs);
    sessions.push(view);
    if (!isDue) excess -= bytesOf(part(view, { now, inUse }).going);
  }
  const trash = (await viewTrash(catalog)).map((each) => ({ ...each, trashedAt: sinceJump(each.trashedAt, jumpedAt) }));
  return { sessions, asides, automatic, trash, bytes };
}

/** True when the clock jumped within this time, so that nothing is known to be this old. */
function isYoung(jumpedAt: Date | undefined, ageMs: number, now: Date): boolean {
  return jumpedAt !== undefined && now.getTime() - jumpedAt.getTime() < ageMs;
}
