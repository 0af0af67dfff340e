import type { AuditAction, Read } from "@workrail/core";
import { type Compilable, expressionBuilder, sql } from "kysely";
import type { StoredTables } from "../schema.ts";
import { allOf, builder } from "./query-builder.ts";
import type { Position, Shape } from "../read-shape.ts";
import { has, isListed, number, text, unindexed } from "./sqlite-terms.ts";

type ReadOf<Of extends Read["of"]> = Shape<Extract<Read, { readonly of: Of }>>;

/** Builds the query of sessions, each with its number of damaged checkpoints, which is not stored in its row. */
export function sessionsQuery({ where, limit, after }: ReadOf<"sessions">): Compilable {
  const eb = expressionBuilder<StoredTables, "session">();
  const { project, unusedSince, withoutTag } = where;
  const checkpoints = eb.selectFrom("checkpoint").whereRef("session_id", "=", "session.id");
  const damaged = checkpoints.where("damaged", "=", eb.lit(1)).select((of) => of.fn.countAll<number>().as("count"));
  return builder
    .selectFrom("session")
    .selectAll("session")
    .select(damaged.as("damaged_count"))
    .where(
      allOf([
        where.has === "live" ? eb("checkpoint_count", ">", eb.lit(0)) : undefined,
        where.has === "nothing" ? isEmpty() : undefined,
        unusedSince === undefined ? undefined : eb("last_accessed_at", "<=", number(unusedSince)),
        project === undefined ? undefined : eb.exists(checkpoints.where("project", "=", text(project)).select("id")),
        withoutTag === undefined ? undefined : eb.not(has(eb.ref("session.tags"), withoutTag)),
        after === undefined ? undefined : eb(eb.refTuple("last_accessed_at", "id"), ">", eb.tuple(number(after[0]), text(after[1]))),
      ]),
    )
    .orderBy("last_accessed_at")
    .orderBy("id")
    .limit(number(limit));

  function isEmpty() {
    const trashed = eb.selectFrom("trashed").whereRef("session_id", "=", "session.id").select("id");
    const removals = eb.selectFrom("pending_removal").whereRef("session_id", "=", "session.id").where("is_done", "=", eb.lit(0));
    return eb.and([
      eb("checkpoint_count", "=", eb.lit(0)),
      eb.not(eb.exists(checkpoints.select("id"))),
      eb.not(eb.exists(trashed)),
      eb.not(eb.exists(removals.select("blob"))),
    ]);
  }
}

/** Builds the query of edges. No index finds edges by their dependent: their bases are checkpoints of the same session. */
export function edgesQuery({ dependents, bases, sessionIds }: ReadOf<"edges">): Compilable {
  const eb = expressionBuilder<StoredTables, "edge">();
  const places = bases === undefined && sessionIds !== undefined ? eb("base", "in", inSessions(sessionIds)) : undefined;
  return builder
    .selectFrom("edge")
    .select(["dependent", "base"])
    .where(
      allOf([
        // By the base alone: with both columns SQLite would look for every pair.
        dependents === undefined ? undefined : isListed(unindexed(eb.ref("dependent")), dependents),
        bases === undefined ? places : isListed(eb.ref("base"), bases),
      ]),
    );
}

/** Selects the ids of the checkpoints of sessions: live, in the trash, or removed. */
function inSessions(sessionIds: Position) {
  const isThere = isListed(sql.ref("session_id"), sessionIds);
  return builder
    .selectFrom("checkpoint")
    .select("id")
    .where(isThere)
    .unionAll(builder.selectFrom("trashed").select("id").where(isThere))
    .unionAll(builder.selectFrom("pending_removal").select("checkpoint_id as id").where(isThere));
}

export function removalsQuery({ blobs, sessionId, isDone, isNoBase, limit }: ReadOf<"removals">): Compilable {
  const eb = expressionBuilder<StoredTables, "pending_removal">();
  const dependents = eb.selectFrom("edge").select("edge.base").whereRef("edge.base", "=", "pending_removal.checkpoint_id");
  const query = builder
    .selectFrom("pending_removal")
    .select(["blob", "checkpoint_id as checkpointId", "session_id as sessionId", "is_done as isDone"])
    .where(
      allOf([
        blobs === undefined ? undefined : isListed(eb.ref("blob"), blobs),
        sessionId === undefined ? undefined : eb("session_id", "=", text(sessionId)),
        isDone === undefined ? undefined : eb("is_done", "=", eb.lit(0)),
        isNoBase === undefined ? undefined : eb.not(eb.exists(dependents)),
      ]),
    );
  return limit === undefined ? query : query.limit(number(limit));
}

export function erasuresQuery({ blobs, sessionId, checkpointId }: ReadOf<"erasures">): Compilable {
  const eb = expressionBuilder<StoredTables, "erasure">();
  return builder
    .selectFrom("erasure")
    .select(["blob", "checkpoint_id as checkpointId", "session_id as sessionId"])
    .where(
      allOf([
        blobs === undefined ? undefined : isListed(eb.ref("blob"), blobs),
        sessionId === undefined ? undefined : eb("session_id", "=", text(sessionId)),
        checkpointId === undefined ? undefined : eb("checkpoint_id", "=", text(checkpointId)),
      ]),
    );
}

/** Actions outside of the index of rare actions. Must be written as in the migration of the index, so that SQLite uses the index. */
const FREQUENT: readonly AuditAction[] = ["save", "load", "prune"];

/** Builds the query of audit rows, in the order of their numbers. */
export function auditQuery({ query }: ReadOf<"audit">): Compilable {
  const { actions, sessionId, checkpointIds, at, since, until, limit, first = "newest", after } = query;
  const eb = expressionBuilder<StoredTables, "audit">();
  const rows = builder
    .selectFrom("audit")
    .selectAll()
    .where(
      allOf([
        actions === undefined
          ? undefined
          : eb(
              "action",
              "in",
              actions.map((action) => sql.lit(action)),
            ),
        actions?.every((action) => !FREQUENT.includes(action)) === true
          ? eb(
              "action",
              "not in",
              FREQUENT.map((action) => sql.lit(action)),
            )
          : undefined,
        sessionId === undefined ? undefined : eb("session_id", "=", text(sessionId)),
        checkpointIds === undefined ? undefined : isListed(eb.ref("checkpoint_id"), checkpointIds),
        at === undefined ? undefined : eb("at", "=", number(at)),
        since === undefined ? undefined : eb("at", ">=", number(since)),
        until === undefined ? undefined : eb("at", "<=", number(until)),
        after === undefined ? undefined : eb("id", first === "oldest" ? ">" : "<", number(after)),
      ]),
    )
    .orderBy("id", first === "oldest" ? "asc" : "desc");
  return limit === undefined ? rows : rows.limit(number(limit));
}
