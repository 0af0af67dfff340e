import { createHash } from "node:crypto";
import { type CheckpointPendingWrite, type SerializerProtocol, WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { parseJson } from "@workrail/core";
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

/** Returns the fixed place of errors, interrupts and the like; `undefined` for other channels, whose places are their order. */
export function fixedPlaceOf(channel: string): number | undefined {
  return Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel] : undefined;
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

/** Writes of a task as side records of a checkpoint. The first regular write of a place stays; a special one replaces the one before. */
export function toRecords(writes: readonly StoredWrite[]): { key: string; bytes: Uint8Array; ifAbsent: boolean }[] {
  return writes.map((write) => ({
    key: keyOf(write),
    bytes: new TextEncoder().encode(JSON.stringify(write)),
    ifAbsent: write.index >= 0,
  }));
}

export function fromRecords(records: readonly { readonly bytes: Uint8Array }[] = []): readonly StoredWrite[] {
  return records.map(({ bytes }) => parseJson(new TextDecoder().decode(bytes)) as unknown as StoredWrite).toSorted(compare);
}

/** A task may have any id; a key may not be that long. */
function keyOf({ taskId, index }: StoredWrite): string {
  const key = JSON.stringify([taskId, index]);
  return key.length <= LONGEST_KEY ? key : createHash("sha256").update(key).digest("hex");
}

const LONGEST_KEY = 200;
