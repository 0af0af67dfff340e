import type { CheckpointId, RowChange, SessionId } from "@workrail/core";

/** Change of a row that memory keeps. */
export type KeptRow = Extract<RowChange, { table: "checkpoint" | "session" }>;

/** Selects the changes to keep in memory, without those of loads. `undefined` when one of them changes a row of the disk. */
export function keptRows(rows: readonly RowChange[], isInMemory: (id: CheckpointId) => boolean): readonly KeptRow[] | undefined {
  const extended = new Set(rows.flatMap((row) => (isNew(row) ? [row.now?.record.sessionId] : [])));
  const kept: KeptRow[] = [];
  for (const row of rows) {
    if ((row.table !== "checkpoint" && row.table !== "session") || row.now === undefined) return undefined;
    if (row.was !== undefined && changesOnly(row, "lastAccessedAt")) continue;
    if (!(row.table === "session" ? isKeptSession(row, extended) : isKeptCheckpoint(row, isInMemory))) return undefined;
    kept.push(row);
  }
  return kept;
}

type OfTable<T extends RowChange["table"]> = Extract<RowChange, { table: T }>;

function isNew(row: RowChange): row is OfTable<"checkpoint"> {
  return row.table === "checkpoint" && row.was === undefined;
}

function isKeptSession(row: OfTable<"session">, extended: ReadonlySet<SessionId | undefined>): boolean {
  return extended.has(row.now?.id) || changesOnly(row, "pins");
}

function isKeptCheckpoint(row: OfTable<"checkpoint">, isInMemory: (id: CheckpointId) => boolean): boolean {
  return row.was === undefined || (isInMemory(row.was.record.id) && changesOnly(row, "shieldedUntil"));
}

/** True when no other field differs before and after a change. */
function changesOnly({ table, was, now }: KeptRow, field: string): boolean {
  const fieldsOf = (row: typeof was): ReadonlyMap<string, unknown> => {
    return new Map(Object.entries(row !== undefined && "record" in row ? { ...row, ...row.record, record: undefined } : { table, ...row }));
  };
  const [before, after] = [fieldsOf(was), fieldsOf(now)];
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].every((name) => name === field || JSON.stringify(before.get(name)) === JSON.stringify(after.get(name)));
}
