import type { NewRecord } from "../../model/checkpoint.ts";
import type { CheckpointId } from "../../model/ids.ts";

/**
 * Sorts records in a possible order of their commits: parents before children; otherwise by creation time, then by id. A clock
 * that jumped can therefore not put a child before its parent.
 */
export function orderByLineage(records: readonly NewRecord[]): NewRecord[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  const children = new Map<CheckpointId, NewRecord[]>();
  const ready = new Heap();
  for (const record of records) {
    if (record.parentId === null || record.parentId === record.id || !byId.has(record.parentId)) {
      ready.push(record);
      continue;
    }
    const siblings = children.get(record.parentId) ?? [];
    siblings.push(record);
    children.set(record.parentId, siblings);
  }
  const ordered: NewRecord[] = [];
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    ordered.push(next);
    for (const child of children.get(next.id) ?? []) ready.push(child);
    // Two sessions can have files with the same id.
    children.delete(next.id);
  }
  return ordered.length === records.length ? ordered : [...ordered, ...cyclic(records, ordered)];
}

/** Returns records with cyclic parents. This product never writes them, but they are kept. */
function cyclic(records: readonly NewRecord[], ordered: readonly NewRecord[]): NewRecord[] {
  const done = new Set(ordered.map((record) => record.id));
  return records.filter((record) => !done.has(record.id)).sort(compare);
}

function compare(left: NewRecord, right: NewRecord): number {
  return left.createdAt.getTime() - right.createdAt.getTime() || (left.id < right.id ? -1 : 1);
}

/** Binary heap ordered by `compare`, for rebuilds with hundreds of thousands of records. */
class Heap {
  readonly #items: NewRecord[] = [];

  push(item: NewRecord): void {
    const items = this.#items;
    let index = items.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (compare(items[parent] as NewRecord, item) <= 0) break;
      items[index] = items[parent] as NewRecord;
      index = parent;
    }
    items[index] = item;
  }

  pop(): NewRecord | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (top === undefined || last === undefined || items.length === 0) return top;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= items.length) break;
      const right = items[child + 1];
      if (right !== undefined && compare(right, items[child] as NewRecord) < 0) child += 1;
      if (compare(last, items[child] as NewRecord) <= 0) break;
      items[index] = items[child] as NewRecord;
      index = child;
    }
    items[index] = last;
    return top;
  }
}
