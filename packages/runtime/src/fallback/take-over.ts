import { type CheckpointId, commit, type SessionId } from "@workrail/core";
import { namedCatalog } from "@workrail/wrappers";
import { takeRecord, type TakePorts } from "../take-record.ts";
import type { RetainedMemory } from "./retained-memory.ts";
import { isCatalogLoss, isHeldByOthers } from "./storage-failure.ts";

export interface TakeOverResult {
  readonly checkpoints: number;
  /** Number of these that became forks, because another process saved meanwhile. */
  readonly forks: number;
  readonly pins: number;
  /** Why data stays in memory: the loss of the catalog if there is one, else the first failure. */
  readonly failure: unknown;
}

/** First failure of each session. The later checkpoints of the session continue the failed one and wait. */
type Failures = Map<SessionId, unknown>;

/**
 * Writes the checkpoints in memory to disk, in the order and under the ids they were saved with, and forgets them in memory.
 *
 * A session that fails stays in memory from the failed checkpoint on; the others are written. Repeating the call continues with the rest.
 *
 * @throws LOCK_TIMEOUT, STORE_IN_USE: nothing can be written, and each further write would wait as long.
 */
export async function takeOver(disk: TakePorts, memory: RetainedMemory): Promise<TakeOverResult> {
  const written = new Set<CheckpointId>();
  const failures: Failures = new Map();
  let forks = 0;
  try {
    for (const record of await memory.checkpoints()) {
      await unlessFailed(failures, record.sessionId, async () => {
        const { isFork } = await takeRecord(
          unbounded(namedBy(disk, memory.subjectOf(record.id))),
          { ...disk, ...memory.storage, onLoaded: ignore },
          record,
        );
        written.add(record.id);
        if (isFork) forks += 1;
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
export function together(first: TakeOverResult, second: TakeOverResult): TakeOverResult {
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

async function writePins(disk: TakePorts, memory: RetainedMemory, failures: Failures): Promise<number> {
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

function namedBy(disk: TakePorts, subject: string | undefined): TakePorts {
  return subject === undefined ? disk : { ...disk, catalog: namedCatalog(disk.catalog, subject) };
}

/** No size limits: data accepted in memory is little, and has nowhere else to go. Secrets were scanned when memory accepted it. */
function unbounded(disk: TakePorts): TakePorts {
  const unlimited = Number.MAX_SAFE_INTEGER;
  const bounds = { maxSessionBytes: unlimited, maxTotalBytes: unlimited, maxAsides: unlimited, maxAsideBytes: unlimited };
  return { ...disk, limits: { ...disk.limits, ...bounds }, secrets: undefined };
}

function ignore(): void {}
