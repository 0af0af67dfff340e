import {
  isWorkrailError,
  type LoadPorts,
  loadCheckpoint,
  parseCheckpointId,
  saveCheckpoint,
  type SavePorts,
  type CheckpointId,
  type CheckpointRecord,
  type Log,
  type SessionId,
  uuidOf,
  commit,
  findHead,
} from "@workrail/core";
import { keepIfThere } from "../keep-if-there.ts";
import type { RetainedMemory } from "./retained-memory.ts";
import { isCatalogLoss, isHeldByOthers } from "./storage-failure.ts";

export interface TakenOver {
  readonly checkpoints: number;
  /** Number of these that became forks, because another process saved meanwhile. */
  readonly forks: number;
  readonly pins: number;
  /** Why data stays in memory: the loss of the catalog if there is one, else the first failure. */
  readonly failure: unknown;
}

/** Ports of the store on disk. */
export type TakeOverPorts = SavePorts & LoadPorts & { readonly log: Log };

/** First failure of each session. The later checkpoints of the session continue the failed one and wait. */
type Failures = Map<SessionId, unknown>;

/**
 * Writes the checkpoints in memory to disk, in the order and under the ids they were saved with, and forgets them in memory.
 *
 * A session that fails stays in memory from the failed checkpoint on; the others are written. Repeating the call continues with the rest.
 *
 * @throws LOCK_TIMEOUT, STORE_IN_USE: nothing can be written, and each further write would wait as long.
 */
export async function takeOver(disk: TakeOverPorts, memory: RetainedMemory): Promise<TakenOver> {
  const written = new Set<CheckpointId>();
  const failures: Failures = new Map();
  let forks = 0;
  try {
    for (const record of await memory.checkpoints()) {
      await unlessFailed(failures, record.sessionId, async () => {
        const continuesOther = await isFork(disk, record);
        const keepsAll = record.attributes["retention"] === "all";
        // Before a save that could prune, and again after the first save, which creates the session.
        if (keepsAll) await keepIfThere(disk, record.sessionId);
        await write(disk, memory, record);
        if (keepsAll) await keepIfThere(disk, record.sessionId);
        written.add(record.id);
        if (continuesOther) forks += 1;
      });
    }
  } finally {
    await memory.forget(written);
  }
  const pins = await writePins(disk, memory, failures);
  const why = [...failures.values()];
  return { checkpoints: written.size, forks, pins, failure: why.find(isCatalogLoss) ?? why[0] };
}

/** Sums the results of two attempts. */
export function together(first: TakenOver, second: TakenOver): TakenOver {
  return {
    checkpoints: first.checkpoints + second.checkpoints,
    forks: first.forks + second.forks,
    pins: first.pins + second.pins,
    failure: second.failure,
  };
}

async function unlessFailed(failures: Failures, session: SessionId, work: () => Promise<void>): Promise<void> {
  if (failures.has(session)) return;
  try {
    await work();
  } catch (error) {
    if (isHeldByOthers(error)) throw error;
    failures.set(session, error);
  }
}

async function isFork(disk: TakeOverPorts, { sessionId, parentId }: CheckpointRecord): Promise<boolean> {
  const head = await findHead(disk.catalog, sessionId);
  return (head?.id ?? null) !== parentId;
}

async function write(disk: TakeOverPorts, memory: RetainedMemory, record: CheckpointRecord): Promise<void> {
  const { id, sessionId, parentId, createdAt, name, tags, attributes, kind, agentId, workflowId, project, layers } = record;
  const { context } = await loadCheckpoint({ ...disk, ...memory.storage, onLoaded: ignore }, { checkpointId: id });
  // No size limits: data accepted in memory is little, and has nowhere else to go.
  const unlimited = Number.MAX_SAFE_INTEGER;
  const bounds = { maxSessionBytes: unlimited, maxTotalBytes: unlimited, maxAsides: unlimited, maxAsideBytes: unlimited };
  const limits = { ...disk.limits, ...bounds };
  // Secrets were scanned when memory accepted the checkpoint.
  const ports = { ...disk, limits, secrets: undefined, clock: { now: () => createdAt } };
  const input = {
    sessionId,
    context,
    name,
    tags,
    attributes,
    kind,
    agentId,
    workflowId,
    project,
    layers,
    parentId: parentId ?? undefined,
    trustParent: true,
    // Always written, and recognised by its id when it was written before.
    force: true,
    shieldUntil: record.shieldedUntil,
  };
  try {
    const { status } = await saveCheckpoint(ports, { ...input, checkpointId: id });
    // The checkpoint is on disk already; the handle issued meanwhile must be valid there as well.
    if (status === "unchanged" && record.shieldedUntil !== undefined) {
      await disk.catalog.change(commit({ shields: [{ checkpointId: id, until: record.shieldedUntil }], audit: [] }));
    }
  } catch (error) {
    if (!isWorkrailError(error) || error.code !== "CONFLICT") throw error;
    // Deterministic, so that a write with unknown outcome is recognised.
    const another = parseCheckpointId(uuidOf(disk.digests.sha256(JSON.stringify(["taken", sessionId, id]))));
    const { record: other } = await saveCheckpoint(ports, { ...input, checkpointId: another });
    disk.log.warn("a checkpoint that was kept in memory got another id: its own was taken meanwhile", { id, sessionId, now: other.id });
  }
}

async function writePins(disk: TakeOverPorts, memory: RetainedMemory, failures: Failures): Promise<number> {
  let written = 0;
  for (const pin of memory.pins()) {
    const { sessionId, key, isPinned, audit } = pin;
    const change = { sessionId, pin: isPinned ? [key] : [], release: isPinned ? [] : [key] };
    await unlessFailed(failures, sessionId, async () => {
      await disk.locking.inOrder(sessionId, () => disk.catalog.change(commit({ pins: change, audit })));
      memory.forgetPin(pin);
      written += 1;
    });
  }
  return written;
}

function ignore(): void {}
