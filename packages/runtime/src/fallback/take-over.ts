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
} from "@workrail/core";
import { keepIfThere } from "../keep-if-there.ts";
import type { RetainedMemory } from "./retained-memory.ts";
import { isCatalogLoss, isHeldByOthers } from "./storage-failure.ts";

export interface TakenOver {
  readonly checkpoints: number;
  /** Of these, how many continue one that is not the latest any more: somebody else saved meanwhile. */
  readonly forks: number;
  readonly pins: number;
  /** Why something stays in memory: that the catalog is lost, else the first that failed. */
  readonly failure: unknown;
}

/** Ports of the disk. */
export type TakeOverPorts = SavePorts & LoadPorts & { readonly log: Log };

/** What could not be written of each session: the rest of it waits, because it continues that. */
type Failures = Map<SessionId, unknown>;

/**
 * Writes to the disk what memory holds, in the order it was saved and under the same ids, and forgets it there. A session
 * that cannot be written stays in memory from there on, and the others are written all the same; doing it again goes on
 * with the rest.
 *
 * @throws LOCK_TIMEOUT, STORE_IN_USE: then nobody can be written, and each would be waited for.
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
        // Before a save could prune, and after the first one.
        if (keepsAll) await keepIfThere(disk, record.sessionId);
        await write(disk, memory, record);
        if (keepsAll) await keepIfThere(disk, record.sessionId);
        written.add(record.id);
        if (continuesOther) forks += 1;
      });
    }
  } finally {
    await memory.forget(written, disk.clock.now());
  }
  const pins = await writePins(disk, memory, failures);
  const why = [...failures.values()];
  return { checkpoints: written.size, forks, pins, failure: why.find(isCatalogLoss) ?? why[0] };
}

/** What was taken over in two attempts. */
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
  const head = await disk.catalog.head(sessionId);
  return (head?.id ?? null) !== parentId;
}

async function write(disk: TakeOverPorts, memory: RetainedMemory, record: CheckpointRecord): Promise<void> {
  const { id, sessionId, parentId, createdAt, name, tags, attributes, kind, agentId, workflowId, project, layers } = record;
  const { context } = await loadCheckpoint({ ...disk, ...memory.storage, onLoaded: ignore }, { checkpointId: id });
  // What memory took is not refused for its size: it is little, and has no other place to go to.
  const unlimited = Number.MAX_SAFE_INTEGER;
  const bounds = { maxSessionBytes: unlimited, maxTotalBytes: unlimited, maxAsides: unlimited, maxAsideBytes: unlimited };
  const limits = { ...disk.limits, ...bounds };
  // Secrets were looked for when it was taken in.
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
    // Nothing may be left out, nor anything be written twice: with its id it is recognised.
    force: true,
    shieldUntil: record.shieldedUntil,
  };
  try {
    const { status } = await saveCheckpoint(ports, { ...input, checkpointId: id });
    // It is on the disk already, and the handle that was given out meanwhile is to hold there as well.
    if (status === "unchanged" && record.shieldedUntil !== undefined) {
      await disk.catalog.commit({ shields: [{ checkpointId: id, until: record.shieldedUntil }], audit: [] });
    }
  } catch (error) {
    if (!isWorkrailError(error) || error.code !== "CONFLICT") throw error;
    // The same each time: when nobody knows whether it was written, it is recognised.
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
      await disk.locking.inOrder(sessionId, () => disk.catalog.commit({ pins: change, audit }));
      memory.forgetPin(pin);
      written += 1;
    });
  }
  return written;
}

function ignore(): void {}
