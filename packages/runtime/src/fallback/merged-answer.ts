import { ALL, type Answers, type CheckpointRow, type Place, type Read, type SessionRow } from "@workrail/core";
import { isMemoryRef } from "@workrail/memory";
import type { RetainedMemory } from "./retained-memory.ts";

/** Returns the read to ask below so that memory's answer and the answer below make one; `undefined` when memory answers alone. */
export function remainingRead(memory: RetainedMemory, read: Read): Read | undefined {
  if (read.of === "blob" && isMemoryRef(read.ref)) return undefined;
  if (read.of !== "checkpoints" || read.offset === undefined || read.offset === 0) return read;
  const above = memory.answer({ ...read, offset: 0, limit: ALL });
  return { ...read, offset: Math.max(0, read.offset - above.length) };
}

/** Merges memory's answer into the answer from below: rows in memory are newer than all others. */
export function mergedAnswer(memory: RetainedMemory, read: Read, below: unknown): unknown {
  switch (read.of) {
    case "checkpoint":
      return memory.answer(read) ?? below;
    case "checkpoints": {
      // A checkpoint that is being written to disk right now may be in both.
      const others = (below as readonly CheckpointRow[]).filter(({ record }) => !memory.holds(record.id));
      return inOrder(read.order, memory.answer(read), others).slice(0, read.limit);
    }
    case "places": {
      const others = (below as readonly Place[]).filter(({ id }) => !memory.holds(id));
      return inOrder(read.order, memory.answer(read), others).slice(0, read.limit);
    }
    case "count":
    case "bytes":
      return memory.answer(read) + (below as number);
    case "session":
      return mergedSession(memory, memory.answer(read), below as SessionRow | undefined);
    default:
      return below;
  }
}

/**
 * Answers from memory alone.
 *
 * @throws the failure of the catalog below when the answer could be wrong, and not only incomplete.
 */
export function memoryAnswer(memory: RetainedMemory, read: Read, failure: unknown): Answers[Read["of"]] {
  const answer = memory.answer(read);
  switch (read.of) {
    case "checkpoint":
      if (answer === undefined) throw failure;
      return answer;
    case "session":
      if (answer === undefined) throw failure;
      return mergedSession(memory, answer as SessionRow, undefined);
    case "checkpoints":
      // Listings show damaged checkpoints too. Others ask for the head of a session, which is unknown.
      if (read.where.state === "trash" || (read.where.damaged === false && memory.answer(read).length === 0)) throw failure;
      return answer;
    case "places":
    case "count":
      if (read.where.state === "trash") throw failure;
      return answer;
    case "bytes":
    case "totals":
    case "mark":
    case "contradictions":
      throw failure;
    default:
      return answer;
  }
}

/** Merges the row of a session in memory, which counts checkpoints in memory only, into the row below, and applies pins. */
export function mergedSession<R extends SessionRow>(memory: RetainedMemory, above: R | undefined, below: R | undefined): R | undefined {
  const row = above === undefined || below === undefined ? (above ?? below) : sum(above, below);
  return row === undefined ? undefined : { ...row, pins: memory.pinsAfter(row.id, row.pins) };
}

function sum<R extends SessionRow>(above: R, below: R): R {
  return {
    ...below,
    lastAccessedAt: above.lastAccessedAt > below.lastAccessedAt ? above.lastAccessedAt : below.lastAccessedAt,
    lastSequence: Math.max(above.lastSequence, below.lastSequence),
    checkpointCount: above.checkpointCount + below.checkpointCount,
    asideCount: above.asideCount + below.asideCount,
    totalBytes: above.totalBytes + below.totalBytes,
  };
}

function inOrder<T>(order: "newest" | "oldest" | "trashed" | "any", above: readonly T[], below: readonly T[]): readonly T[] {
  return order === "newest" ? [...above, ...below] : [...below, ...above];
}
