import { type CheckpointFilter, type CheckpointQuery, GIT_STATE, type PageCursor, type SessionId, WorkrailError } from "@workrail/core";
import { joined, sql, type Sql } from "./sql.ts";

/**
 * Builds the query of one page, newest first, of `limit` rows and one more, which tells whether another page follows. Rows of
 * one session are ordered by sequence, others by ordinal. Both orders are the same, and each has an index.
 */
export function pageQuery({ filter, limit, offset, after }: CheckpointQuery): Sql {
  const order = orderOf(filter) === "ordinal" ? sql`ordinal` : sql`sequence`;
  const conditions = conditionsOf(filter);
  if (after !== undefined) conditions.push(sql`${order} < ${planless(parseCursor(after))}`);
  return sql`SELECT * FROM checkpoint WHERE ${allOf(conditions)}
    ORDER BY ${order} DESC LIMIT ${planless(limit + 1)} OFFSET ${planless(offset)}`;
}

/** Builds the query of a total. The totals of a whole session, project or store are stored; others are counted. */
export function countQuery(filter: CheckpointFilter): Sql {
  const { sessionId, project, kinds, tags = [], query, ...others } = filter;
  const isWhole =
    tags.length === 0 && words(query).length === 0 && Object.values(others).every((value) => value === undefined || value === false);
  if (!isWhole) return countedQuery(filter);
  if (sessionId === undefined) return knownQuery(project === undefined ? ["store", ""] : ["project", project], kinds);
  return project === undefined && kinds === undefined ? sessionQuery(sessionId) : countedQuery(filter);
}

function knownQuery([scope, name]: readonly ["store" | "project", string], kinds: CheckpointFilter["kinds"]): Sql {
  const ofKind = kinds === undefined ? sql`kind <> 'aside'` : sql`kind IN (${list(kinds)})`;
  return sql`SELECT coalesce(sum(total), 0) AS total FROM checkpoint_total WHERE scope = ${scope} AND name = ${name} AND ${ofKind}`;
}

/** Returns one row, with 0 when there is no such session. */
function sessionQuery(sessionId: SessionId): Sql {
  return sql`SELECT coalesce(sum(checkpoint_count - aside_count), 0) AS total FROM session WHERE id = ${sessionId}`;
}

function countedQuery(filter: CheckpointFilter): Sql {
  return sql`SELECT count(*) AS total FROM checkpoint WHERE ${allOf(conditionsOf(filter))}`;
}

/** Returns the cursor of the last row of a page, from which `after` continues. */
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

function conditionsOf(filter: CheckpointFilter): Sql[] {
  const all: readonly (Sql | undefined)[] = [
    filter.sessionId === undefined ? undefined : sql`session_id = ${planless(filter.sessionId)}`,
    ofPrefix(filter.idPrefix),
    ofProject(filter),
    filter.headsOnly === true ? sql`ordinal IN ${HEADS}` : undefined,
    filter.notProject === undefined ? undefined : sql`project IS NOT ${planless(filter.notProject)}`,
    filter.workflowId === undefined ? undefined : sql`workflow_id = ${planless(filter.workflowId)}`,
    filter.agentId === undefined ? undefined : sql`agent_id = ${planless(filter.agentId)}`,
    filter.phase === undefined ? undefined : sql`json_extract(attributes, '$.phase') = ${planless(filter.phase)}`,
    filter.since === undefined ? undefined : sql`created_at >= ${planless(filter.since.getTime())}`,
    filter.until === undefined ? undefined : sql`created_at <= ${planless(filter.until.getTime())}`,
    ofKinds(filter.kinds),
    filter.name === undefined ? undefined : contains(sql`folded_name`, filter.name),
    ...words(filter.query).map(holdsWord),
    ...(filter.tags ?? []).map(tagged),
  ];
  return all.filter((condition) => condition !== undefined);
}

/** Ordinals of all heads, looked up session by session with the index of sequences. */
const HEADS = sql`(SELECT (
  SELECT head.ordinal FROM checkpoint AS head
  WHERE head.session_id = session.id AND head.kind <> 'aside' AND head.damaged = 0
  ORDER BY head.sequence DESC LIMIT 1) FROM session)`;

/** Condition for a prefix of ids, as a range that uses the index of ids. No id has a character above `~`. */
function ofPrefix(prefix = ""): Sql | undefined {
  return prefix === "" ? undefined : sql`id >= ${prefix} AND id < ${`${prefix}~`}`;
}

function ofProject({ project, repository }: CheckpointFilter): Sql | undefined {
  const there = project === undefined ? undefined : sql`project = ${planless(project)}`;
  if (repository === undefined) return there;
  const kept = sql`json_extract(attributes, ${`$.${GIT_STATE}.commonDir`}) = ${planless(repository)}`;
  return there === undefined ? kept : sql`(${there} OR ${kept})`;
}

/** Condition for kinds. SQLite uses the index of asides only when the statement has `'aside'` as a literal. */
function ofKinds(kinds: CheckpointFilter["kinds"]): Sql {
  if (kinds === undefined) return sql`kind <> ${planless("aside")}`;
  return kinds.length === 1 && kinds[0] === "aside" ? sql`kind = 'aside'` : sql`kind IN (${list(kinds)})`;
}

/** Parameter that the query plan does not depend on: see `head-of.ts`. */
function planless(value: string | number): Sql {
  return sql`+${value}`;
}

/** Condition for a substring. Uses `instr` instead of `LIKE`, which would read wildcards in the text. */
function contains(column: Sql, text: string): Sql {
  return sql`instr(${column}, ${text.toLowerCase()}) > 0`;
}

/** Condition for a word, as it is or in its JSON form: attributes are stored as JSON. */
function holdsWord(word: string): Sql {
  const inJson = JSON.stringify(word).slice(1, -1);
  const asItStands = contains(sql`folded`, word);
  return inJson === word ? asItStands : sql`(${asItStands} OR ${contains(sql`folded`, inJson)})`;
}

/** Condition for a tag of the checkpoint or of its session. */
function tagged(tag: string): Sql {
  return sql`(ordinal IN (SELECT ordinal FROM checkpoint_tag WHERE tag = ${tag})
    OR session_id IN (SELECT session.id FROM session, json_each(session.tags) WHERE json_each.value = ${tag}))`;
}

function words(query: string | undefined): readonly string[] {
  return query === undefined ? [] : query.split(/\s+/u).filter((word) => word !== "");
}

function list(values: readonly string[]): Sql {
  return joined(
    values.map((value) => sql`${value}`),
    ", ",
  );
}

function allOf(conditions: readonly Sql[]): Sql {
  return joined(conditions, " AND ");
}
