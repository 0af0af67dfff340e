import {
  type AuditEvent,
  type Change,
  changesOf,
  type CheckpointKind,
  type CheckpointRecord,
  comparedAttributes,
  type LoggedEvent,
  type RowChange,
  type Tables,
} from "@workrail/core";
import { type Expression, sql } from "kysely";
import { isListed } from "./queries/checkpoint-conditions.ts";
import { preparedRows } from "./queries/prepared.ts";
import { builder, type Query } from "./queries/query-builder.ts";
import { columnsOf, columnsOfEvent, columnsOfSession } from "./rows.ts";
import type { CheckpointColumns, StoredTables } from "./schema.ts";

/** Rows and audit rows to write. */
export interface Written {
  readonly rows: readonly RowChange[];
  readonly audit: readonly (AuditEvent | LoggedEvent)[];
  readonly auditThrough?: number | undefined;
}

/** Counters of a store, from which new rows get their numbers. */
export interface Counters {
  /** Highest commit number that was ever assigned. */
  readonly lastCommit: number;
  /** Number of the last audit row. */
  readonly lastNumber: number;
}

/** Builds the statements that write rows. They depend only on the rows themselves: all can be sent at once. */
export function writesOf(tenant: string, { rows, audit, auditThrough }: Written, counters: Counters): readonly Query<unknown>[] {
  const placed = placedRows(changesOf("checkpoint", rows), counters.lastCommit);
  const lastCommit = placed.reduce((most, { now }) => Math.max(most, now?.commit ?? 0), counters.lastCommit);
  return [
    ...sessionWrites(tenant, changesOf("session", rows)),
    ...checkpointWrites(tenant, placed),
    ...totalWrites(tenant, placed, lastCommit - counters.lastCommit),
    ...edgeWrites(tenant, changesOf("edge", rows)),
    ...removalWrites(tenant, changesOf("removal", rows)),
    ...erasureWrites(tenant, changesOf("erasure", rows)),
    ...holdWrites(tenant, changesOf("hold", rows)),
    ...inserts(
      "audit",
      numbered(audit, counters.lastNumber).map((event) => columnsOfEvent(tenant, event)),
    ),
    ...(auditThrough === undefined
      ? []
      : [builder.deleteFrom("audit").where("tenant_id", "=", tenant).where("number", "<=", auditThrough)]),
  ];
}

/** Builds the statements that delete all rows of a catalog. */
export function clearingWrites(tenant: string): readonly Query<unknown>[] {
  const tables = [
    "checkpoint",
    "checkpoint_tag",
    "checkpoint_attribute",
    "checkpoint_total",
    "session",
    "session_tag",
    "edge",
    "removal",
    "erasure",
    "hold",
    "audit",
  ] as const;
  return [
    ...tables.map((table) => builder.deleteFrom(table).where("tenant_id", "=", tenant)),
    builder.updateTable("store").set({ is_whole: true, last_commit: 0, live_bytes: 0, trash_bytes: 0 }).where("tenant_id", "=", tenant),
  ];
}

/** Builds the statements that recompute the totals. */
export function countingWrites(tenant: string): readonly Query<unknown>[] {
  const bytes = builder
    .selectFrom("checkpoint")
    .select(sql<number>`coalesce(sum(blob_bytes), 0)::bigint`.as("bytes"))
    .where("tenant_id", "=", tenant);
  const counted = (scope: "store" | "project") =>
    builder
      .selectFrom("checkpoint")
      .where("tenant_id", "=", tenant)
      .where("trashed_at", "is", null)
      .where((eb) => (scope === "store" ? eb.lit(true) : eb("project", "is not", null)))
      .groupBy(scope === "store" ? ["tenant_id", "kind"] : ["tenant_id", "project", "kind"])
      .select([
        "tenant_id",
        sql.lit(scope).as("scope"),
        (scope === "store" ? sql.lit("") : sql.ref<string>("project")).as("name"),
        "kind",
        sql<number>`count(*)`.as("total"),
      ]);
  return [
    builder.deleteFrom("checkpoint_total").where("tenant_id", "=", tenant),
    ...(["store", "project"] as const).map((scope) =>
      builder.insertInto("checkpoint_total").columns(["tenant_id", "scope", "name", "kind", "total"]).expression(counted(scope)),
    ),
    builder
      .updateTable("store")
      .set({ live_bytes: bytes.where("trashed_at", "is", null), trash_bytes: bytes.where("trashed_at", "is not", null) })
      .where("tenant_id", "=", tenant),
  ];
}

type CheckpointChange = Change<Tables["checkpoint"] & { readonly commit: number }>;

/** Gives new checkpoints their commit numbers. Existing rows keep theirs. */
function placedRows(changes: readonly Change<Tables["checkpoint"]>[], lastCommit: number): readonly CheckpointChange[] {
  let last = lastCommit;
  return changes.map(({ was, now }) => ({
    was: was === undefined ? undefined : { ...was, commit: was.commit ?? 0 },
    now: now === undefined ? undefined : { ...now, commit: now.commit ?? was?.commit ?? ++last },
  }));
}

/** Numbers rows that are not chained. */
function numbered(audit: Written["audit"], lastNumber: number): readonly LoggedEvent[] {
  let last = lastNumber;
  return audit.map((event) => {
    last = "number" in event ? event.number : last + 1;
    return "number" in event ? event : { ...event, number: last, digest: undefined };
  });
}

function sessionWrites(tenant: string, changes: readonly Change<Tables["session"]>[]): readonly Query<unknown>[] {
  const gone = changes.flatMap(({ was, now }) => (now === undefined && was !== undefined ? [was.id] : []));
  const put = changes.flatMap(({ now }) => (now === undefined ? [] : [now]));
  const retagged = changes.filter(({ was, now }) => JSON.stringify(was?.tags ?? []) !== JSON.stringify(now?.tags ?? []));
  const untagged = retagged.flatMap(({ was }) => (was === undefined || was.tags.length === 0 ? [] : [was.id]));
  const tags = retagged.flatMap(({ now }) => {
    return now === undefined ? [] : [...new Set(now.tags)].map((tag) => ({ tenant_id: tenant, tag, session_id: now.id }));
  });
  const rows = put.map((session) => columnsOfSession(tenant, session));
  return [
    ...(gone.length === 0
      ? []
      : [
          builder
            .deleteFrom("session")
            .where("tenant_id", "=", tenant)
            .where((eb) => isListed(eb.ref("id"), gone)),
        ]),
    ...chunks(rows).map(putSessions),
    ...(untagged.length === 0
      ? []
      : [
          builder
            .deleteFrom("session_tag")
            .where("tenant_id", "=", tenant)
            .where((eb) => isListed(eb.ref("session_id"), untagged)),
        ]),
    ...inserts("session_tag", tags),
  ];
}

const putSessions = preparedRows<StoredTables["session"]>((rows) =>
  builder
    .insertInto("session")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["tenant_id", "id"]).doUpdateSet((eb) => ({
        created_at: eb.ref("excluded.created_at"),
        last_accessed_at: eb.ref("excluded.last_accessed_at"),
        tags: eb.ref("excluded.tags"),
        pins: eb.ref("excluded.pins"),
        oldest_live: eb.ref("excluded.oldest_live"),
        last_sequence: eb.ref("excluded.last_sequence"),
        checkpoint_count: eb.ref("excluded.checkpoint_count"),
        aside_count: eb.ref("excluded.aside_count"),
        total_bytes: eb.ref("excluded.total_bytes"),
      })),
    ),
);

function checkpointWrites(tenant: string, changes: readonly CheckpointChange[]): readonly Query<unknown>[] {
  const gone = changes.flatMap(({ was, now }) => (was !== undefined && now === undefined ? [was.commit] : []));
  const added = changes.flatMap(({ was, now }) => (was === undefined && now !== undefined ? [now] : []));
  const retagged = changes.filter(({ was, now }) => JSON.stringify(was?.record.tags ?? []) !== JSON.stringify(now?.record.tags ?? []));
  const untagged = retagged.flatMap(({ was }) => (was === undefined || was.record.tags.length === 0 ? [] : [was.commit]));
  const tags = retagged.flatMap(({ now }) => {
    return now === undefined ? [] : [...new Set(now.record.tags)].map((tag) => ({ tenant_id: tenant, tag, ordinal: now.commit }));
  });
  return [
    ...(gone.length === 0
      ? []
      : [
          builder
            .deleteFrom("checkpoint")
            .where("tenant_id", "=", tenant)
            .where((eb) => among(eb.ref("ordinal"), gone)),
        ]),
    ...changes.flatMap((change) => updates(tenant, change)),
    ...inserts(
      "checkpoint",
      added.map((row) => columnsOf(tenant, row, row.commit)),
    ),
    ...(untagged.length === 0
      ? []
      : [
          builder
            .deleteFrom("checkpoint_tag")
            .where("tenant_id", "=", tenant)
            .where((eb) => among(eb.ref("ordinal"), untagged)),
        ]),
    ...inserts("checkpoint_tag", tags),
    ...attributeWrites(tenant, changes),
  ];
}

function attributeWrites(tenant: string, changes: readonly CheckpointChange[]): readonly Query<unknown>[] {
  const changed = changes.filter(({ was, now }) => JSON.stringify(was?.record.attributes) !== JSON.stringify(now?.record.attributes));
  const gone = changed.flatMap(({ was }) => indexedAttributes(tenant, was));
  const put = changed.flatMap(({ now }) => indexedAttributes(tenant, now));
  return [
    ...chunks(gone).map((some) =>
      builder
        .deleteFrom("checkpoint_attribute")
        .where("tenant_id", "=", tenant)
        .where(
          sql<boolean>`(name, value, ordinal) in (select * from unnest(${some.map(({ name }) => name)}::text[],
            ${some.map(({ value }) => value)}::text[], ${some.map(({ ordinal }) => ordinal)}::bigint[]))`,
        ),
    ),
    ...inserts("checkpoint_attribute", put),
  ];
}

function indexedAttributes(tenant: string, row: CheckpointChange["now"]): readonly StoredTables["checkpoint_attribute"][] {
  if (row === undefined) return [];
  return comparedAttributes(row.record.attributes).map(([name, value]) => {
    return { tenant_id: tenant, name, value: JSON.stringify(value), ordinal: row.commit };
  });
}

/** Builds the update of the changed columns. */
function updates(tenant: string, { was, now }: CheckpointChange): readonly Query<unknown>[] {
  if (was === undefined || now === undefined) return [];
  const [before, after] = [columnsOf(tenant, was, was.commit), columnsOf(tenant, now, now.commit)];
  const names = Object.keys(after) as (keyof CheckpointColumns)[];
  const changed = names.filter((name) => before[name] !== after[name]);
  if (changed.length === 0) return [];
  const columns: Partial<CheckpointColumns> = Object.fromEntries(changed.map((name) => [name, after[name]]));
  return [builder.updateTable("checkpoint").set(columns).where("tenant_id", "=", tenant).where("ordinal", "=", was.commit)];
}

function totalWrites(tenant: string, changes: readonly CheckpointChange[], commits: number): readonly Query<unknown>[] {
  const sums = { live: 0, trash: 0 };
  const totals = new Map<string, { scope: "store" | "project"; name: string; kind: CheckpointKind; total: number }>();
  const count = (row: Tables["checkpoint"] | undefined, sign: 1 | -1): void => {
    if (row === undefined) return;
    sums[row.trashedAt === undefined ? "live" : "trash"] += sign * row.record.blobBytes;
    if (row.trashedAt !== undefined) return;
    for (const scope of scopesOf(row.record)) {
      const key = JSON.stringify(scope);
      totals.set(key, { ...scope, total: (totals.get(key)?.total ?? 0) + sign });
    }
  };
  for (const { was, now } of changes) {
    count(was, -1);
    count(now, 1);
  }
  // Every change writes these rows in one order, although changes of a tenant never run at the same time.
  const rows = [...totals.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  const wanted = rows.filter(({ total }) => total !== 0).map((row) => ({ tenant_id: tenant, ...row }));
  const isChanged = commits !== 0 || sums.live !== 0 || sums.trash !== 0;
  return [...chunks(wanted).map(addToTotals), ...(isChanged ? [addToStore([{ tenant, commits, ...sums }])] : [])];
}

const addToTotals = preparedRows<StoredTables["checkpoint_total"]>((rows) =>
  builder
    .insertInto("checkpoint_total")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(["tenant_id", "scope", "name", "kind"])
        .doUpdateSet((eb) => ({ total: eb("checkpoint_total.total", "+", eb.ref("excluded.total")) })),
    ),
);

interface StoreTotals {
  readonly tenant: string;
  readonly commits: number;
  readonly live: number;
  readonly trash: number;
}

const addToStore = preparedRows<StoreTotals>(([added]) => {
  const { tenant, commits, live, trash } = added as StoreTotals;
  return builder
    .updateTable("store")
    .set((eb) => ({
      last_commit: eb("last_commit", "+", commits),
      live_bytes: eb("live_bytes", "+", live),
      trash_bytes: eb("trash_bytes", "+", trash),
    }))
    .where("tenant_id", "=", tenant);
});

function scopesOf({ kind, project }: CheckpointRecord) {
  const store = { scope: "store", name: "", kind } as const;
  return project === undefined ? [store] : [store, { scope: "project", name: project, kind } as const];
}

function edgeWrites(tenant: string, changes: readonly Change<Tables["edge"]>[]): readonly Query<unknown>[] {
  const gone = changes.flatMap(({ was }) => (was === undefined ? [] : [was]));
  const put = changes.flatMap(({ now }) => (now === undefined ? [] : [{ tenant_id: tenant, dependent: now.dependent, base: now.base }]));
  return [
    ...chunks(gone.map(({ dependent, base }) => ({ tenant_id: tenant, dependent, base }))).map((some) =>
      builder
        .deleteFrom("edge")
        .where("tenant_id", "=", tenant)
        .where(
          sql<boolean>`(dependent, base) in (select * from unnest(${some.map(({ dependent }) => dependent)}::text[],
            ${some.map(({ base }) => base)}::text[]))`,
        ),
    ),
    ...chunks(put).map((some) =>
      builder
        .insertInto("edge")
        .values(some)
        .onConflict((conflict) => conflict.doNothing()),
    ),
  ];
}

/** Writes pending removals. A finished one needs no row, because no session facts outside of the database name it. */
function removalWrites(tenant: string, changes: readonly Change<Tables["removal"]>[]): readonly Query<unknown>[] {
  const isPending = (row: Tables["removal"] | undefined): row is Tables["removal"] => row !== undefined && !row.isDone;
  const gone = changes.flatMap(({ was, now }) => (was !== undefined && !isPending(now) ? [was.blob] : []));
  const put = changes.map(({ now }) => now).filter(isPending);
  return removedWrites(tenant, "removal", { gone, put });
}

function erasureWrites(tenant: string, changes: readonly Change<Tables["erasure"]>[]): readonly Query<unknown>[] {
  const gone = changes.flatMap(({ was, now }) => (was !== undefined && now === undefined ? [was.blob] : []));
  const put = changes.flatMap(({ now }) => now ?? []);
  return removedWrites(tenant, "erasure", { gone, put });
}

function removedWrites(
  tenant: string,
  table: "removal" | "erasure",
  { gone, put }: { readonly gone: readonly string[]; readonly put: readonly Tables["erasure"][] },
): readonly Query<unknown>[] {
  const rows = put.map(({ blob, checkpointId, sessionId }) => {
    return { tenant_id: tenant, blob, checkpoint_id: checkpointId, session_id: sessionId };
  });
  return [
    ...(gone.length === 0
      ? []
      : [
          builder
            .deleteFrom(table)
            .where("tenant_id", "=", tenant)
            .where((eb) => isListed(eb.ref("blob"), gone)),
        ]),
    ...chunks(rows).map((some) =>
      builder
        .insertInto(table)
        .values(some)
        .onConflict((conflict) => conflict.doNothing()),
    ),
  ];
}

function holdWrites(tenant: string, changes: readonly Change<Tables["hold"]>[]): readonly Query<unknown>[] {
  return changes.flatMap(({ was, now }): readonly Query<unknown>[] => {
    if (now === undefined)
      return was === undefined ? [] : [builder.deleteFrom("hold").where("tenant_id", "=", tenant).where("holder", "=", was.holder)];
    const row = { tenant_id: tenant, holder: now.holder, until: now.until.getTime() };
    return [
      builder
        .insertInto("hold")
        .values(row)
        .onConflict((conflict) => conflict.columns(["tenant_id", "holder"]).doUpdateSet({ until: row.until })),
    ];
  });
}

function among(column: Expression<unknown>, numbers: readonly number[]) {
  return sql<boolean>`${column} = any(${numbers}::bigint[])`;
}

function inserts<T extends keyof StoredTables>(table: T, rows: readonly StoredTables[T][]): readonly Query<unknown>[] {
  let insert = INSERTS.get(table);
  if (insert === undefined) {
    insert = preparedRows((some) => builder.insertInto(table).values(some as never));
    INSERTS.set(table, insert);
  }
  return chunks(rows).map(insert);
}

const INSERTS = new Map<keyof StoredTables, (rows: readonly object[]) => Query<unknown>>();

/** A statement has at most 65,535 parameters. */
function chunks<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const size = 1_000;
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) => rows.slice(index * size, (index + 1) * size));
}
