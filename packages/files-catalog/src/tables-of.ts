import { type BlobRef, type CheckpointId, type LoggedEvent, MemoryTables, type NewRow, type Tables } from "@workrail/core";
import type { Entry, JournalEntries } from "./journal-entries.ts";

/** Makes tables from the entries of consecutive changes, the first of which are those of all rows. */
export function tablesOf(all: readonly JournalEntries[], hasBlob: (ref: BlobRef) => boolean): MemoryTables {
  const live = laidOver(all.map(({ checkpoints }) => checkpoints));
  const trash = laidOver(all.map((entries) => entries.trash));
  const checkpoints = [...[...live.values()].map((row) => ({ ...row, trashedAt: undefined })), ...trash.values()];
  const rows: NewRow[] = [
    ...[...laidOver(all.map(({ sessions }) => sessions))].map(([id, entry]) => row("session", { id, ...entry, ...NO_SUMS })),
    ...checkpoints.toSorted((one, other) => (one.commit ?? 0) - (other.commit ?? 0)).map((now) => row("checkpoint", now)),
    ...[...laidOver(all.map(({ edges }) => edges)).values()].map((now) => row("edge", now)),
    ...rowsByCheckpoint(all.map(({ removals }) => removals)).map((now) => row("removal", now)),
    ...[...laidOver(all.map(({ holds }) => holds))].map(([holder, until]) => row("hold", { holder, until })),
    ...rowsByCheckpoint(all.map(({ erasures }) => erasures)).map((now) => row("erasure", now)),
  ];
  const tables = new MemoryTables(hasBlob, { rows, audit: auditOf(all), lastCommit: all.at(-1)?.lastCommit ?? 0 });
  const { sums } = tables.answer({ of: "contradictions" });
  tables.apply({ rows: sums.map((change) => ({ table: "session", ...change })), audit: [] });
  return tables;
}

const NO_SUMS = { checkpointCount: 0, asideCount: 0, totalBytes: 0 };

function row<T extends keyof Tables>(table: T, now: Tables[T]): NewRow {
  return { table, now } as NewRow;
}

function laidOver<K, V>(all: readonly (readonly Entry<K, V>[])[]): ReadonlyMap<K, V> {
  const values = new Map<K, V>();
  for (const [key, value] of all.flat()) {
    if (value === null) values.delete(key);
    else values.set(key, value);
  }
  return values;
}

function rowsByCheckpoint<V extends { readonly blob: BlobRef }>(
  all: readonly (readonly Entry<CheckpointId, V>[])[],
): readonly (V & { readonly checkpointId: CheckpointId })[] {
  const rows = new Map<CheckpointId, Map<BlobRef, V>>();
  for (const [id, value] of all.flat()) {
    if (value === null) rows.delete(id);
    else rows.set(id, (rows.get(id) ?? new Map<BlobRef, V>()).set(value.blob, value));
  }
  return [...rows].flatMap(([checkpointId, values]) => [...values.values()].map((value) => ({ ...value, checkpointId })));
}

function auditOf(all: readonly JournalEntries[]): readonly LoggedEvent[] {
  const log: LoggedEvent[] = [];
  for (const { audit, auditFrom = 0 } of all) {
    for (const event of audit) log.push({ ...event, number: event.number ?? (log.at(-1)?.number ?? 0) + 1, digest: event.digest });
    const first = log.findIndex(({ number }) => number >= auditFrom);
    log.splice(0, first === -1 ? log.length : first);
  }
  return log;
}
