import type { SessionView } from "../../clean-up/plan.ts";
import { checkSelection, planRemoval, type Selection } from "../../clean-up/plan-removal.ts";
import type { SessionId } from "../../model/ids.ts";
import type { Session } from "../../model/session.ts";
import { carryOut, type CleanUpOptions, type CleanUpPorts, type CleanUpReport, type RemovalPorts } from "./carry-out.ts";
import { checkpointNotFound, sessionNotFound } from "../load/load-checkpoint.ts";
import { eachSession, viewSession } from "./view-store.ts";
import { findCheckpoint } from "../../catalog/queries/query-checkpoints.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";
import { sumUsage } from "../../catalog/queries/sum-usage.ts";

/**
 * Moves the selected checkpoints into the trash, or removes them permanently, overwritten as by an erasure.
 *
 * @throws INVALID_INPUT for an invalid selection; SESSION_NOT_FOUND; CHECKPOINT_NOT_FOUND for a named checkpoint.
 */
export async function removeCheckpoints(ports: RemovalPorts, selection: Selection, options: CleanUpOptions = {}): Promise<CleanUpReport> {
  checkSelection(selection);
  const now = ports.clock.now();
  const { sessions, bytes } = await ports.locking.shared(async () => {
    const { liveBytes, trashBytes } = await sumUsage(ports.catalog);
    const views: SessionView[] = [];
    for await (const session of selected(ports, selection, now)) views.push(await viewSession(ports.catalog, session));
    return { sessions: views, bytes: liveBytes + trashBytes };
  });
  return carryOut(ports, planRemoval(sessions, selection), { ...options, bytes, now, erasing: ports });
}

async function* selected({ catalog }: CleanUpPorts, selection: Selection, now: Date): AsyncGenerator<Session> {
  const { unusedForMs, project } = selection;
  const unusedSince = unusedForMs === undefined ? undefined : new Date(now.getTime() - unusedForMs);
  const named = await namedSessions(catalog, selection);
  if (named === undefined) {
    yield* eachSession(catalog, { project, unusedSince });
    return;
  }
  for (const sessionId of named) {
    const session = await findSession(catalog, sessionId);
    if (session === undefined) throw sessionNotFound(sessionId);
    if (unusedSince === undefined || session.lastAccessedAt <= unusedSince) yield session;
  }
}

/** Returns the sessions that the selection names; `undefined` when it names none. */
async function namedSessions(catalog: CatalogPort, { checkpointIds, sessionId }: Selection): Promise<ReadonlySet<SessionId> | undefined> {
  if (checkpointIds === undefined) return sessionId === undefined ? undefined : new Set([sessionId]);
  const sessions = new Set<SessionId>();
  for (const id of checkpointIds) {
    const record = await findCheckpoint(catalog, id);
    if (record === undefined) throw await checkpointNotFound({ catalog }, id);
    if (sessionId === undefined || record.sessionId === sessionId) sessions.add(record.sessionId);
  }
  return sessions;
}
