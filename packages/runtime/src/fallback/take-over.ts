import {
  isWorkrailError,
  type LoadPorts,
  loadCheckpoint,
  saveCheckpoint,
  type SavePorts,
  type CheckpointId,
  type CheckpointRecord,
  type Log,
} from "@workrail/core";
import type { RetainedMemory } from "./retained-memory.ts";

export interface TakenOver {
  readonly checkpoints: number;
  /** Of these, how many continue one that is not the latest any more: somebody else saved meanwhile. */
  readonly forks: number;
  readonly pins: number;
}

/** Ports of the disk. */
export type TakeOverPorts = SavePorts & LoadPorts & { readonly log: Log };

/**
 * Writes to the disk what memory holds, in the order it was saved and under the same ids, and forgets it there. When it
 * fails in the middle, what is written is written, and doing it again goes on with the rest.
 *
 * @throws whatever saving throws.
 */
export async function takeOver(disk: TakeOverPorts, memory: RetainedMemory): Promise<TakenOver> {
  const written = new Set<CheckpointId>();
  let forks = 0;
  try {
    for (const record of await memory.checkpoints()) {
      if (await isFork(disk, record)) forks += 1;
      await write(disk, memory, record);
      written.add(record.id);
    }
  } finally {
    await memory.forget(written, disk.clock.now());
  }
  return { checkpoints: written.size, forks, pins: await writePins(disk, memory) };
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
    const { record: other } = await saveCheckpoint(ports, input);
    disk.log.warn("a checkpoint that was kept in memory got another id: its own was taken meanwhile", { id, sessionId, now: other.id });
  }
}

async function writePins(disk: TakeOverPorts, memory: RetainedMemory): Promise<number> {
  const pins = memory.pins();
  for (const pin of pins) {
    const { sessionId, key, isPinned, audit } = pin;
    const change = { sessionId, pin: isPinned ? [key] : [], release: isPinned ? [] : [key] };
    await disk.locking.inOrder(sessionId, () => disk.catalog.commit({ pins: change, audit }));
    memory.forgetPin(pin);
  }
  return pins.length;
}

function ignore(): void {}
