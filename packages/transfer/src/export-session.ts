import {
  type CatalogPort,
  CHECKPOINT_KINDS,
  type CheckpointId,
  type Clock,
  eachRecord,
  FAILED,
  isToBeNamed,
  isWorkrailError,
  loadCheckpoint,
  type LoadedCheckpoint,
  type Locking,
  type Log,
  type ReadPorts,
  type Session,
  type SessionId,
  sessionNotFound,
  findSession,
  commit,
} from "@workrail/core";
import { checkpointTexts, closingText, openingText } from "./export-format/export-text.ts";
import type { UnreadableInExport } from "./export-format/export-fields.ts";

export interface ExportPorts extends ReadPorts {
  readonly locking: Locking;
  readonly clock: Clock;
  readonly log: Log;
  /** True when the store is read-only, so that the export is not recorded in the audit log. Default `false`. */
  readonly isReadOnly?: boolean | undefined;
}

export interface ExportOptions {
  /** Called for each unreadable checkpoint. The export only names it. */
  readonly onUnreadable?: ((checkpoint: UnreadableInExport) => void) | undefined;
  /** Called after each checkpoint. */
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

/** Number of checkpoints written or skipped, and of all. */
export interface ExportProgress {
  readonly done: number;
  readonly total: number;
}

/**
 * Writes a session as readable JSON that `importSession` restores exactly: the session's facts and every live checkpoint of any
 * kind, oldest first, each verified and with its whole context. One context is in memory at a time. A checkpoint pruned meanwhile
 * is left out; an unreadable one is listed at the end, with the reason. Does not count as an access. `noteExport` records the
 * export in the audit log.
 *
 * @throws SESSION_NOT_FOUND; LOCK_TIMEOUT and STORAGE_UNAVAILABLE: the output so far is then useless.
 */
export async function* exportSession(
  ports: ExportPorts,
  sessionId: SessionId,
  { onUnreadable, onProgress }: ExportOptions = {},
): AsyncGenerator<string, void, undefined> {
  const { session, ids } = await ports.locking.shared(() => lookUp(ports, sessionId));
  yield openingText(session, ports.digests);
  const unreadable: UnreadableInExport[] = [];
  let isFirst = true;
  for (const [index, id] of ids.entries()) {
    const loaded = await loadIfLive(ports, id);
    if (loaded !== undefined && "code" in loaded) {
      unreadable.push(loaded);
      onUnreadable?.(loaded);
    } else if (loaded !== undefined) {
      yield isFirst ? "\n" : ",\n";
      yield* checkpointTexts(loaded, ports.digests);
      isFirst = false;
    }
    onProgress?.({ done: index + 1, total: ids.length });
  }
  yield closingText(!isFirst, unreadable);
}

/** Counts the checkpoints of each session, most recently saved first. */
export async function countCheckpoints(ports: {
  readonly catalog: CatalogPort;
  readonly locking: Locking;
}): Promise<ReadonlyMap<SessionId, number>> {
  return ports.locking.shared(async () => {
    const counts = new Map<SessionId, number>();
    for await (const { sessionId } of eachRecord(ports.catalog, { kinds: CHECKPOINT_KINDS }))
      counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1);
    return counts;
  });
}

/**
 * Returns a session.
 *
 * @throws SESSION_NOT_FOUND
 */
export async function sessionToExport({ catalog, locking }: Pick<ExportPorts, "catalog" | "locking">, id: SessionId): Promise<Session> {
  const session = await locking.shared(() => findSession(catalog, id));
  if (session === undefined) throw sessionNotFound(id);
  return session;
}

/** Records a complete or failed export of a session in the audit log. No-op for a read-only store. */
export async function noteExport(
  { catalog, locking, clock, isReadOnly }: ExportPorts,
  sessionId: SessionId,
  { isWhole }: { readonly isWhole: boolean },
): Promise<void> {
  if (isReadOnly === true) return;
  const reason = isWhole ? {} : { reason: FAILED };
  const row = { at: clock.now(), action: "export" as const, sessionId, checkpointId: undefined, agentId: undefined, ...reason };
  await locking.shared(() => catalog.change(commit({ audit: [row] })));
}

async function lookUp(ports: ExportPorts, sessionId: SessionId): Promise<{ session: Session; ids: readonly CheckpointId[] }> {
  const session = await findSession(ports.catalog, sessionId);
  if (session === undefined) throw sessionNotFound(sessionId);
  const ids: CheckpointId[] = [];
  for await (const record of eachRecord(ports.catalog, { sessionId, kinds: CHECKPOINT_KINDS })) ids.push(record.id);
  return { session, ids: ids.toReversed() };
}

/** Loads a checkpoint; `undefined` when it was removed since it was listed. */
async function loadIfLive(ports: ExportPorts, checkpointId: CheckpointId): Promise<LoadedCheckpoint | UnreadableInExport | undefined> {
  try {
    return await loadCheckpoint({ ...ports, onLoaded: ignore }, { checkpointId });
  } catch (error) {
    if (isWorkrailError(error) && error.code === "CHECKPOINT_NOT_FOUND") return undefined;
    if (isToBeNamed(error)) return { checkpointId, code: error.code };
    throw error;
  }
}

function ignore(): void {}
