import type { CheckpointPendingWrite, SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { fromTypedValue, type TypedValue } from "./typed-value.ts";

/** One write of a task, as kept beside its checkpoint. */
export interface StoredWrite {
  readonly taskId: string;
  /** Place in the task's list of writes; negative for errors, interrupts and the like, which replace an earlier one. */
  readonly index: number;
  readonly taskPath: string;
  readonly channel: string;
  readonly value: TypedValue;
}

/** Returns the writes in effect, in the order in which a graph applies them. The first regular write of a place stays, the last special one. */
export function inOrder(writes: readonly StoredWrite[]): readonly StoredWrite[] {
  const byPlace = new Map<string, StoredWrite>();
  for (const write of writes) {
    const place = JSON.stringify([write.taskId, write.index]);
    if (write.index < 0 || !byPlace.has(place)) byPlace.set(place, write);
  }
  return [...byPlace.values()].toSorted(compare);
}

/** Compares as LangGraph does: by path, by task, by index. */
function compare(one: StoredWrite, other: StoredWrite): number {
  return compareText(one.taskPath, other.taskPath) || compareText(one.taskId, other.taskId) || one.index - other.index;
}

/** By code points, unlike `<`, which compares units of UTF-16. */
function compareText(one: string, other: string): number {
  const [left, right] = [Array.from(one), Array.from(other)];
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at === -1) return left.length - right.length;
  const against = right[at]?.codePointAt(0);
  return against === undefined ? 1 : (left[at]?.codePointAt(0) ?? 0) - against;
}

export async function toPendingWrite(serde: SerializerProtocol, write: StoredWrite): Promise<CheckpointPendingWrite> {
  return [write.taskId, write.channel, await fromTypedValue(serde, write.value)];
}
