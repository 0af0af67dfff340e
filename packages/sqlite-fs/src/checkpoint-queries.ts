import { type CheckpointFilter, type CheckpointQuery, GIT_STATE, type PageCursor, type SessionId, WorkrailError } from "@workrail/core";
import {
  DummyDriver,
  type Expression,
  type ExpressionBuilder,
  Kysely,
  type RawBuilder,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqlBool,
} from "kysely";
import type { Schema } from "./schema.ts";
import type { SqliteValue } from "./sqlite-driver.ts";

export interface CompiledSql {
  readonly sql: string;
  readonly parameters: readonly SqliteValue[];
}

/** Kysely writes the SQL; running it is ours, because better-sqlite3 is synchronous and its statements are kept. */
const builder = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

type Checkpoints = ExpressionBuilder<Schema, "checkpoint">;
type Condition = Expression<SqlBool>;

/**
 * One page, newest first: `limit` rows and one more, which tells whether another page follows. Within a session the
 * sequence orders, else the order of commits; both are the same order, each with its index.
 */
export function pageQuery({ filter, limit, offset, after }: CheckpointQuery): CompiledSql {
  const order = orderOf(filter);
  let query = builder
    .selectFrom("checkpoint")
    .selectAll()
    .where((c) => c.and(conditions(c, filter)));
  if (after !== undefined) query = query.where(order, "<", planless(parseCursor(after)));
  return compiled(
    query
      .orderBy(order, "desc")
      .limit(planless(limit + 1))
      .offset(planless(offset))
      .compile(),
  );
}

/** How many there are, which is known already of a whole session, project or store; others are counted. */
export function countQuery(filter: CheckpointFilter): CompiledSql {
  const { sessionId, project, kinds, tags = [], query, ...others } = filter;
  const isWhole =
    tags.length === 0 && words(query).length === 0 && Object.values(others).every((value) => value === undefined || value === false);
  if (!isWhole) return countedQuery(filter);
  if (sessionId === undefined) return knownQuery(project === undefined ? ["store", ""] : ["project", project], kinds);
  return project === undefined && kinds === undefined ? sessionQuery(sessionId) : countedQuery(filter);
}

function knownQuery([scope, name]: readonly ["store" | "project", string], kinds: CheckpointFilter["kinds"]): CompiledSql {
  return compiled(
    builder
      .selectFrom("checkpoint_total")
      .select((c) => c.fn.coalesce(c.fn.sum<number>("total"), sql<number>`0`).as("total"))
      .where("scope", "=", scope)
      .where("name", "=", name)
      .where((c) => (kinds === undefined ? c("kind", "<>", "aside") : c("kind", "in", kinds)))
      .compile(),
  );
}

/** One row, of the session or of none. */
function sessionQuery(sessionId: SessionId): CompiledSql {
  const without = sql<number>`coalesce(sum(checkpoint_count - aside_count), 0)`;
  return compiled(builder.selectFrom("session").select(without.as("total")).where("id", "=", sessionId).compile());
}

function countedQuery(filter: CheckpointFilter): CompiledSql {
  return compiled(
    builder
      .selectFrom("checkpoint")
      .select((c) => c.fn.countAll<number>().as("total"))
      .where((c) => c.and(conditions(c, filter)))
      .compile(),
  );
}

/** What `after` continues from: the last row of a page. */
export function cursorOf(filter: CheckpointFilter, row: { readonly ordinal: number; readonly sequence: number }): PageCursor {
  return String(row[orderOf(filter)]) as PageCursor;
}

function parseCursor(cursor: PageCursor): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new WorkrailError("INVALID_INPUT", "after must be the cursor of an earlier page.", {
    details: { field: "after" },
    hint: "Leave it out to begin with the newest.",
  });
}

function orderOf(filter: CheckpointFilter): "sequence" | "ordinal" {
  return filter.sessionId === undefined ? "ordinal" : "sequence";
}

function conditions(c: Checkpoints, filter: CheckpointFilter): Condition[] {
  const all: (Condition | undefined)[] = [
    equal(c, "session_id", filter.sessionId),
    ofProject(c, filter),
    filter.headsOnly === true ? c("ordinal", "in", HEADS) : undefined,
    filter.notProject === undefined ? undefined : c("project", "is distinct from", planless(filter.notProject)),
    equal(c, "workflow_id", filter.workflowId),
    equal(c, "agent_id", filter.agentId),
    filter.phase === undefined ? undefined : c(sql<string>`json_extract(attributes, '$.phase')`, "=", planless(filter.phase)),
    filter.since === undefined ? undefined : c("created_at", ">=", planless(filter.since.getTime())),
    filter.until === undefined ? undefined : c("created_at", "<=", planless(filter.until.getTime())),
    ofKinds(c, filter.kinds),
    filter.name === undefined ? undefined : contains(c, "folded_name", filter.name),
    ...words(filter.query).map((word) => contains(c, "folded", word)),
    ...(filter.tags ?? []).map((tag) => tagged(c, tag)),
  ];
  return all.filter((condition) => condition !== undefined);
}

/** Asked session by session, which the index of a session's sequence answers at once. */
const HEADS = sql<number>`(select (
  select head.ordinal from checkpoint as head
  where head.session_id = session.id and head.kind <> 'aside' and head.damaged = 0
  order by head.sequence desc limit 1) from session)`;

function ofProject(c: Checkpoints, { project, repository }: CheckpointFilter): Condition | undefined {
  const there = equal(c, "project", project);
  if (repository === undefined) return there;
  const kept = c(sql<string>`json_extract(attributes, ${`$.${GIT_STATE}.commonDir`})`, "=", planless(repository));
  return there === undefined ? kept : c.or([there, kept]);
}

function equal(
  c: Checkpoints,
  column: "session_id" | "project" | "workflow_id" | "agent_id",
  value: string | undefined,
): Condition | undefined {
  return value === undefined ? undefined : c(column, "=", planless(value));
}

/** Asides have an index, which SQLite only uses where it reads their name. */
function ofKinds(c: Checkpoints, kinds: CheckpointFilter["kinds"]): Condition {
  if (kinds === undefined) return c("kind", "<>", planless("aside"));
  return kinds.length === 1 && kinds[0] === "aside" ? c("kind", "=", sql.lit("aside")) : c("kind", "in", kinds);
}

/** A value that the plan does not depend on: see `HEAD`. */
function planless<T extends string | number>(value: T): RawBuilder<T> {
  return sql<T>`+${value}`;
}

/** `instr` and not `LIKE`: what a person types has no wildcards in it. */
function contains(c: Checkpoints, column: "folded" | "folded_name", text: string): Condition {
  return c(sql<number>`instr(${sql.ref(column)}, ${text.toLowerCase()})`, ">", 0);
}

/** On the checkpoint, or on its session. */
function tagged(c: Checkpoints, tag: string): Condition {
  const onCheckpoint = c("ordinal", "in", c.selectFrom("checkpoint_tag").select("checkpoint_tag.ordinal").where("tag", "=", tag));
  const tagged = sql<string>`(select session.id from session, json_each(session.tags) where json_each.value = ${tag})`;
  return onCheckpoint.or(c("session_id", "in", tagged));
}

function words(query: string | undefined): readonly string[] {
  return query === undefined ? [] : query.split(/\s+/u).filter((word) => word !== "");
}

function compiled(query: { readonly sql: string; readonly parameters: readonly unknown[] }): CompiledSql {
  return { sql: query.sql, parameters: query.parameters as readonly SqliteValue[] };
}
