import type { AuditAction, Read, Where } from "@workrail/core";
import { type ExpressionBuilder, expressionBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { AuditColumns, CheckpointColumns, SessionColumns, StoredTables } from "../schema.ts";
import { conditionsOf, isListed, ofKinds } from "./checkpoint-conditions.ts";
import { allOf, builder, type Query } from "./query-builder.ts";

type ReadOf<Of extends Read["of"]> = Extract<Read, { readonly of: Of }>;

/** Columns of a checkpoint that answers need. */
const READ = [
  "ordinal",
  "id",
  "session_id",
  "sequence",
  "parent_id",
  "kind",
  "created_at",
  "last_accessed_at",
  "agent_id",
  "workflow_id",
  "project",
  "name",
  "tags",
  "attributes",
  "exact_digest",
  "canonical_digest",
  "context_bytes",
  "layers",
  "writer",
  "blob",
  "blob_bytes",
  "base_id",
  "key_id",
  "damaged",
  "shielded_until",
  "trashed_at",
] as const;

/** All columns of a session, by name: those of a kept statement must stay the same when the table gets others. */
const SESSION = [
  "tenant_id",
  "id",
  "created_at",
  "last_accessed_at",
  "tags",
  "pins",
  "oldest_live",
  "last_sequence",
  "checkpoint_count",
  "aside_count",
  "total_bytes",
] as const satisfies readonly (keyof SessionColumns)[];

/** All columns of an audit row. */
const AUDIT = [
  "tenant_id",
  "number",
  "at",
  "action",
  "session_id",
  "checkpoint_id",
  "agent_id",
  "reason",
  "digest",
  "subject",
] as const satisfies readonly (keyof AuditColumns)[];

export type ReadCheckpoint = Pick<CheckpointColumns, (typeof READ)[number]>;

export function checkpointQuery(tenant: string, { id }: ReadOf<"checkpoint">): Query<ReadCheckpoint> {
  return builder.selectFrom("checkpoint").select(READ).where("tenant_id", "=", tenant).where("id", "=", id);
}

export function checkpointsQuery(tenant: string, read: ReadOf<"checkpoints">): Query<ReadCheckpoint> {
  return page(builder.selectFrom("checkpoint").select(READ), tenant, read);
}

export function placesQuery(tenant: string, read: ReadOf<"places">): Query<Pick<CheckpointColumns, "id" | "sequence">> {
  return page(builder.selectFrom("checkpoint").select(["checkpoint.id", "checkpoint.sequence"]), tenant, read);
}

type Page = Pick<ReadOf<"checkpoints">, "where" | "order" | "limit" | "offset" | "after">;

/** Selects a page. Within a session, sequence and ordinal give the same order; each has an index. */
function page<Row>(
  rows: SelectQueryBuilder<StoredTables, "checkpoint", Row>,
  tenant: string,
  { where, order, limit, offset, after }: Page,
) {
  const place = where.sessionId === undefined ? ("checkpoint.ordinal" as const) : ("checkpoint.sequence" as const);
  const selected = rows.where((eb) => allOf([...conditionsOf(tenant, where), isAfterCursor(eb, place, { order, after })])).limit(limit);
  const found = offset === undefined ? selected : selected.offset(offset);
  if (order === "any") return found;
  if (order === "trashed")
    return found.where("checkpoint.trashed_at", "is not", null).orderBy("checkpoint.trashed_at").orderBy("checkpoint.id");
  return found.orderBy(place, order === "newest" ? "desc" : "asc");
}

function isAfterCursor(
  eb: ExpressionBuilder<StoredTables, "checkpoint">,
  place: "checkpoint.ordinal" | "checkpoint.sequence",
  { order, after }: Pick<Page, "order" | "after">,
) {
  if (after === undefined) return undefined;
  if (typeof after === "number") return eb(place, order === "newest" ? "<" : ">", after);
  const [at, id] = after;
  return eb(eb.refTuple("checkpoint.trashed_at", "checkpoint.id"), ">", eb.tuple(at.getTime(), id));
}

/** Reads the stored total of a session, project or store; counts anything else. */
export function countQuery(tenant: string, { where }: ReadOf<"count">): Query<{ readonly total: number }> {
  return (
    storedTotal(tenant, where) ??
    builder
      .selectFrom("checkpoint")
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .where(allOf(conditionsOf(tenant, where)))
  );
}

function storedTotal(tenant: string, where: Where): Query<{ readonly total: number }> | undefined {
  const { state, sessionId, project, kinds, notKinds, headsOnly = false, tags = [], words = [], ...others } = where;
  const isFiltered = tags.length + words.length > 0 || Object.values(others).some((value) => value !== undefined);
  if (state !== "live" || headsOnly || isFiltered) return undefined;
  if (sessionId === undefined) return totalOfScope(tenant, where);
  const hidesAsides = notKinds?.length === 1 && notKinds[0] === "aside";
  return project === undefined && kinds === undefined && hidesAsides ? totalOfSession(tenant, sessionId) : undefined;
}

function totalOfScope(tenant: string, where: Where): Query<{ readonly total: number }> {
  return builder
    .selectFrom("checkpoint_total")
    .select(sql<number>`coalesce(sum(total), 0)::bigint`.as("total"))
    .where("tenant_id", "=", tenant)
    .where("scope", "=", where.project === undefined ? "store" : "project")
    .where("name", "=", where.project ?? "")
    .where(allOf(ofKinds(where)));
}

/** Returns one row, with 0 when there is no such session. */
function totalOfSession(tenant: string, sessionId: string): Query<{ readonly total: number }> {
  return builder
    .selectFrom("session")
    .select(sql<number>`coalesce(sum(checkpoint_count - aside_count), 0)::bigint`.as("total"))
    .where("tenant_id", "=", tenant)
    .where("id", "=", sessionId);
}

export function sessionQuery(tenant: string, { id }: ReadOf<"session">): Query<SessionColumns> {
  return builder.selectFrom("session").select(SESSION).where("tenant_id", "=", tenant).where("id", "=", id);
}

/** Builds the query of sessions, each with its number of damaged checkpoints, which is not stored in its row. */
export function sessionsQuery(
  tenant: string,
  { where, limit, after }: ReadOf<"sessions">,
): Query<SessionColumns & { readonly damaged_count: number }> {
  const eb = expressionBuilder<StoredTables, "session">();
  const { project, unusedSince, withoutTag } = where;
  const checkpoints = builder
    .selectFrom("checkpoint")
    .where("checkpoint.tenant_id", "=", tenant)
    .whereRef("checkpoint.session_id", "=", sql.ref("session.id"));
  const live = checkpoints.where("checkpoint.trashed_at", "is", null);
  const removals = builder
    .selectFrom("removal")
    .select("removal.blob")
    .where("removal.tenant_id", "=", tenant)
    .whereRef("removal.session_id", "=", sql.ref("session.id"));
  const tagged = builder.selectFrom("session_tag").select("session_tag.session_id").where("session_tag.tenant_id", "=", tenant);
  return builder
    .selectFrom("session")
    .selectAll("session")
    .select(
      live
        .where("checkpoint.damaged", "=", sql.lit(true))
        .select((of) => of.fn.countAll<number>().as("count"))
        .$asScalar()
        .$castTo<number>()
        .as("damaged_count"),
    )
    .where(
      allOf([
        eb("session.tenant_id", "=", tenant),
        where.has === "live" ? eb("session.checkpoint_count", ">", eb.lit(0)) : undefined,
        where.has === "nothing" ? eb.not(eb.or([eb.exists(checkpoints.select("checkpoint.id")), eb.exists(removals)])) : undefined,
        unusedSince === undefined ? undefined : eb("session.last_accessed_at", "<=", unusedSince.getTime()),
        project === undefined ? undefined : eb.exists(live.where("checkpoint.project", "=", project).select("checkpoint.id")),
        withoutTag === undefined ? undefined : eb("session.id", "not in", tagged.where("session_tag.tag", "=", withoutTag)),
        after === undefined
          ? undefined
          : eb(eb.refTuple("session.last_accessed_at", "session.id"), ">", eb.tuple(after[0].getTime(), after[1])),
      ]),
    )
    .orderBy("session.last_accessed_at")
    .orderBy("session.id")
    .limit(limit);
}

export function edgesQuery(
  tenant: string,
  { dependents, bases }: ReadOf<"edges">,
): Query<{ readonly dependent: string; readonly base: string }> {
  const eb = expressionBuilder<StoredTables, "edge">();
  return builder
    .selectFrom("edge")
    .select(["dependent", "base"])
    .where(
      allOf([
        eb("tenant_id", "=", tenant),
        dependents === undefined ? undefined : isListed(eb.ref("dependent"), dependents),
        bases === undefined ? undefined : isListed(eb.ref("base"), bases),
      ]),
    );
}

/** Row of a removed checkpoint. */
export interface RemovedRow {
  readonly blob: string;
  readonly checkpoint_id: string;
  readonly session_id: string;
}

export function removalsQuery(tenant: string, { blobs, sessionId, isNoBase, limit }: ReadOf<"removals">): Query<RemovedRow> {
  const eb = expressionBuilder<StoredTables, "removal">();
  const dependents = builder
    .selectFrom("edge")
    .select("edge.base")
    .where("edge.tenant_id", "=", tenant)
    .whereRef("edge.base", "=", sql.ref("removal.checkpoint_id"));
  const query = builder
    .selectFrom("removal")
    .select(["blob", "checkpoint_id", "session_id"])
    .where(
      allOf([
        eb("tenant_id", "=", tenant),
        blobs === undefined ? undefined : isListed(eb.ref("blob"), blobs),
        sessionId === undefined ? undefined : eb("session_id", "=", sessionId),
        isNoBase === undefined ? undefined : eb.not(eb.exists(dependents)),
      ]),
    );
  return limit === undefined ? query : query.limit(limit);
}

export function erasuresQuery(tenant: string, { blobs, sessionId, checkpointId }: ReadOf<"erasures">): Query<RemovedRow> {
  const eb = expressionBuilder<StoredTables, "erasure">();
  return builder
    .selectFrom("erasure")
    .select(["blob", "checkpoint_id", "session_id"])
    .where(
      allOf([
        eb("tenant_id", "=", tenant),
        blobs === undefined ? undefined : isListed(eb.ref("blob"), blobs),
        sessionId === undefined ? undefined : eb("session_id", "=", sessionId),
        checkpointId === undefined ? undefined : eb("checkpoint_id", "=", checkpointId),
      ]),
    );
}

export function holdsQuery(tenant: string): Query<{ readonly holder: string; readonly until: number }> {
  return builder.selectFrom("hold").select(["holder", "until"]).where("tenant_id", "=", tenant);
}

export function bytesQuery(tenant: string): Query<{ readonly bytes: number }> {
  return builder
    .selectFrom("store")
    .select(sql<number>`live_bytes + trash_bytes`.as("bytes"))
    .where("tenant_id", "=", tenant);
}

export function blobQuery(tenant: string, { ref }: ReadOf<"blob">): Query<{ readonly ref: string }> {
  return builder.selectFrom("blob").select("ref").where("tenant_id", "=", tenant).where("ref", "=", ref);
}

/** Row of the totals of a store. */
export interface TotalsRow {
  readonly sessions: number;
  readonly checkpoints: number;
  readonly damaged: number;
  readonly live_bytes: number;
  readonly trashed: number;
  readonly trash_bytes: number;
  readonly pending: number;
  readonly needed: number;
}

export function totalsQuery(tenant: string): Query<TotalsRow> {
  const count = sql<number>`count(*)`.as("count");
  const checkpoints = builder.selectFrom("checkpoint").select(count).where("checkpoint.tenant_id", "=", tenant);
  const removals = builder.selectFrom("removal").select(count).where("removal.tenant_id", "=", tenant);
  const dependents = builder
    .selectFrom("edge")
    .select("edge.base")
    .where("edge.tenant_id", "=", tenant)
    .whereRef("edge.base", "=", sql.ref("removal.checkpoint_id"));
  return builder
    .selectFrom("store")
    .where("store.tenant_id", "=", tenant)
    .select((eb) => [
      "store.live_bytes",
      "store.trash_bytes",
      sql<number>`(${builder.selectFrom("session").select(count).where("session.tenant_id", "=", tenant).where("session.checkpoint_count", ">", 0)})`.as(
        "sessions",
      ),
      sql<number>`(${totalOfScope(tenant, { state: "live" }) as never})`.as("checkpoints"),
      sql<number>`(${checkpoints.where("checkpoint.damaged", "=", eb.lit(true)).where("checkpoint.trashed_at", "is", null)})`.as("damaged"),
      sql<number>`(${checkpoints.where("checkpoint.trashed_at", "is not", null)})`.as("trashed"),
      sql<number>`(${removals})`.as("pending"),
      sql<number>`(${removals.where(eb.exists(dependents) as never)})`.as("needed"),
    ]);
}

/** Actions that the index of rare actions omits. Must match the migration, or PostgreSQL does not use the index. */
const FREQUENT: readonly AuditAction[] = ["save", "load", "prune"];

/** Builds the query of audit rows, in the order of their numbers. */
export function auditQuery(tenant: string, { query }: ReadOf<"audit">): Query<AuditColumns> {
  const { actions, sessionId, checkpointIds, at, since, until, limit, first = "newest", after } = query;
  const eb = expressionBuilder<StoredTables, "audit">();
  const isRare = actions?.every((action) => !FREQUENT.includes(action)) === true;
  const rows = builder
    .selectFrom("audit")
    .select(AUDIT)
    .where(
      allOf([
        eb("tenant_id", "=", tenant),
        actions === undefined ? undefined : isListed(eb.ref("action"), actions),
        isRare
          ? eb(
              "action",
              "not in",
              FREQUENT.map((action) => sql.lit(action)),
            )
          : undefined,
        sessionId === undefined ? undefined : eb("session_id", "=", sessionId),
        checkpointIds === undefined ? undefined : isListed(eb.ref("checkpoint_id"), checkpointIds),
        at === undefined ? undefined : eb("at", "=", at.getTime()),
        since === undefined ? undefined : eb("at", ">=", since.getTime()),
        until === undefined ? undefined : eb("at", "<=", until.getTime()),
        after === undefined ? undefined : eb("number", first === "oldest" ? ">" : "<", after),
      ]),
    )
    .orderBy("number", first === "oldest" ? "asc" : "desc");
  return limit === undefined ? rows : rows.limit(limit);
}

/** Builds the query of sessions with wrong sums, and the sums of their checkpoints. */
export function wrongSumsQuery(
  tenant: string,
): Query<SessionColumns & { readonly real_count: number; readonly real_asides: number; readonly real_bytes: number }> {
  const real = builder
    .selectFrom("checkpoint")
    .where("checkpoint.tenant_id", "=", tenant)
    .where("checkpoint.trashed_at", "is", null)
    .groupBy("checkpoint.session_id")
    .select([
      "checkpoint.session_id",
      sql<number>`count(*)`.as("count"),
      sql<number>`count(*) filter (where checkpoint.kind = 'aside')`.as("asides"),
      sql<number>`sum(checkpoint.blob_bytes)::bigint`.as("bytes"),
    ])
    .as("real");
  return builder
    .selectFrom("session")
    .leftJoin(real, "real.session_id", "session.id")
    .where("session.tenant_id", "=", tenant)
    .where(
      sql<boolean>`(checkpoint_count, aside_count, total_bytes) <> (coalesce("real".count, 0), coalesce("real".asides, 0), coalesce("real".bytes, 0))`,
    )
    .selectAll("session")
    .select([
      sql<number>`coalesce("real".count, 0)`.as("real_count"),
      sql<number>`coalesce("real".asides, 0)`.as("real_asides"),
      sql<number>`coalesce("real".bytes, 0)`.as("real_bytes"),
    ]);
}

/** Builds the query of missing edges from a checkpoint to its base. */
export function missingEdgesQuery(tenant: string): Query<{ readonly dependent: string; readonly base: string }> {
  const known = builder
    .selectFrom("edge")
    .select("edge.base")
    .where("edge.tenant_id", "=", tenant)
    .whereRef("edge.dependent", "=", sql.ref("checkpoint.id"))
    .whereRef("edge.base", "=", sql.ref("checkpoint.base_id"));
  return builder
    .selectFrom("checkpoint")
    .where("checkpoint.tenant_id", "=", tenant)
    .where("checkpoint.base_id", "is not", null)
    .where((eb) => eb.not(eb.exists(known)))
    .select(["checkpoint.id as dependent", "checkpoint.base_id as base"])
    .$narrowType<{ base: string }>();
}
