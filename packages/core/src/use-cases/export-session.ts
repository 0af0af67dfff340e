import { checkpointTexts, closingText, openingText } from "../export-format/export-text.ts";
import type { UnreadableInExport } from "../export-format/export-fields.ts";
import { isWorkrailError } from "../errors.ts";
import { FAILED } from "../model/audit.ts";
import { CHECKPOINT_KINDS } from "../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { Session } from "../model/session.ts";
import type { Clock, Log } from "../ports/environment.ts";
import type { Catalog } from "../ports/catalog.ts";
import type { Locking } from "../ports/locking.ts";
import { isToBeNamed } from "./get-blob.ts";
import { loadCheckpoint, type LoadedCheckpoint, sessionNotFound } from "./load-checkpoint.ts";
import type { ReadPorts } from "./read-context.ts";
import { eachRecord } from "./view-store.ts";

export interface ExportPorts extends ReadPorts {
  readonly locking: Locking;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the export is not noted in the audit log, because the store is only read. Default `false`. */
  readonly isReadOnly?: boolean | undefined;
}

export interface ExportOptions {
  /** Told of each checkpoint that cannot be read, and is therefore only named in the export. */
  readonly onUnreadable?: ((checkpoint: UnreadableInExport) => void) | undefined;
  /** Told after each checkpoint. */
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

/** How many checkpoints were written, or passed over, of how many. */
export interface ExportProgress {
  readonly done: number;
  readonly total: number;
}

/**
 * Writes a session as one JSON text that people can read and `importSession` takes back exactly: the session's facts and
 * every live checkpoint of any kind, oldest first, each proven and with its whole context. One context is in memory at a
 * time. A checkpoint that is pruned meanwhile is left out, as if the export had begun after that; one that cannot be read
 * is named at the end, with the reason. Reading for an export is no access. `noteExport` notes it in the audit log.
 *
 * @throws SESSION_NOT_FOUND; LOCK_TIMEOUT and STORAGE_UNAVAILABLE, and then what was written is worth nothing.
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

/** All sessions that hold a checkpoint, and how many each holds; those saved to last first. */
export async function countCheckpoints(ports: {
  readonly catalog: Catalog;
  readonly locking: Locking;
}): Promise<ReadonlyMap<SessionId, number>> {
  return ports.locking.shared(async () => {
    const counts = new Map<SessionId, number>();
    for await (const { sessionId } of eachRecord(ports.catalog, { kinds: CHECKPOINT_KINDS }))
      counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1);
    return counts;
  });
}

/** @throws SESSION_NOT_FOUND */
export async function findSession({ catalog, locking }: Pick<ExportPorts, "catalog" | "locking">, id: SessionId): Promise<Session> {
  const session = await locking.shared(() => catalog.session(id));
  if (session === undefined) throw sessionNotFound(id);
  return session;
}

/** Notes in the audit log that a session was exported, or that some of it was. A store that is only read notes nothing. */
export async function noteExport(
  { catalog, locking, clock, isReadOnly }: ExportPorts,
  sessionId: SessionId,
  { isWhole }: { readonly isWhole: boolean },
): Promise<void> {
  if (isReadOnly === true) return;
  const reason = isWhole ? {} : { reason: FAILED };
  const row = { at: clock.now(), action: "export" as const, sessionId, checkpointId: undefined, agentId: undefined, ...reason };
  await locking.shared(() => catalog.commit({ audit: [row] }));
}

async function lookUp(ports: ExportPorts, sessionId: SessionId): Promise<{ session: Session; ids: readonly CheckpointId[] }> {
  const session = await ports.catalog.session(sessionId);
  if (session === undefined) throw sessionNotFound(sessionId);
  const ids: CheckpointId[] = [];
  for await (const record of eachRecord(ports.catalog, { sessionId, kinds: CHECKPOINT_KINDS })) ids.push(record.id);
  return { session, ids: ids.toReversed() };
}

/** `undefined` when it was removed since it was listed. */
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
