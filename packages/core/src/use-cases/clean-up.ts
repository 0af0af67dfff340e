import { bytesOf, part, type SessionView, type StoreView } from "../clean-up/plan.ts";
import { excessOf, isUnused, planUpkeep, type UpkeepPolicy } from "../clean-up/plan-upkeep.ts";
import type { SessionId } from "../model/ids.ts";
import { carryOut, type CleanUpOptions, type CleanUpPorts, type CleanUpReport } from "./carry-out.ts";
import { eachSession, viewSession, viewTrash } from "./view-store.ts";

export interface UpkeepOptions extends CleanUpOptions {
  /** Sessions that are being worked in: nothing of them goes. Default: none. */
  readonly inUse?: ReadonlySet<SessionId> | undefined;
}

/** Has a store follow its policy: what was unused for long goes, and room is made in one that is full. */
export async function cleanUp(ports: CleanUpPorts, policy: UpkeepPolicy, options: UpkeepOptions = {}): Promise<CleanUpReport> {
  const { inUse = new Set() } = options;
  const now = ports.clock.now();
  const store = await ports.locking.shared(() => viewFor(ports, policy, inUse, now));
  return carryOut(ports, planUpkeep(store, policy, inUse, now), { ...options, bytes: store.bytes, now });
}

/** Of the sessions only those whose turn may come: a plan must not read the whole store. */
async function viewFor(
  { catalog }: Pick<CleanUpPorts, "catalog">,
  policy: UpkeepPolicy,
  inUse: ReadonlySet<SessionId>,
  now: Date,
): Promise<StoreView> {
  const { liveBytes, trashBytes } = await catalog.usage();
  const bytes = liveBytes + trashBytes;
  const sessions: SessionView[] = [];
  let excess = excessOf(bytes, policy);
  for await (const session of eachSession(catalog, {})) {
    if (excess <= 0 && !isUnused(session, policy, now)) break;
    const view = await viewSession(catalog, session);
    sessions.push(view);
    if (!isUnused(session, policy, now)) excess -= bytesOf(part(view, inUse).going);
  }
  return { sessions, trash: await viewTrash(catalog), bytes };
}
