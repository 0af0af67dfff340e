import { type CheckpointKind, GIT_STATE, type Read, type Where } from "@workrail/core";
import { joined, sql, type Sql } from "./sql.ts";

/** Table of checkpoints: live ones have columns, those in the trash have JSON. */
export type Table = "live" | "trash";

type Select = Extract<Read, { readonly of: "checkpoints" }>;
type SelectPlaces = Extract<Read, { readonly of: "places" }>;

/** Columns of `checkpoint` that conditions compare, as they are in the JSON of the trash. SQLite computes only those that are used. */
const RECORDED = [
  "ordinal",
  "sequence",
  "kind",
  "created_at",
  "agent_id",
  "workflow_id",
  "project",
  "tags",
  "attributes",
  "damaged",
  "folded",
  "folded_name",
  "shielded_until",
] as const;

/** Rows of the trash with the columns of `checkpoint`. */
const RECORDS: Sql = {
  sql: `(SELECT session_id, id, blob, trashed_at, record, ${RECORDED.map((column) => `record ->> '${column}' AS ${column}`).join(", ")}
    FROM trashed)`,
  parameters: [],
};

/** Conditions on columns that the trash has beside its JSON. */
const STORED: ReadonlySet<string> = new Set(["state", "sessionId", "ids", "blobs", "notId", "idPrefix"] satisfies (keyof Where)[]);

function sourceOf(table: Table, where: Where, order: Select["order"] = "any"): Sql {
  if (table === "live") return sql`checkpoint`;
  const isStored = Object.entries(where).every(([name, value]) => value === undefined || STORED.has(name));
  return isStored && (order === "any" || order === "trashed") ? sql`trashed` : RECORDS;
}

/**
 * Builds the query of rows of one table. The order of sequences and the order of ordinals are the same within a session, and each has
 * an index.
 */
export function checkpointQuery({ where, order, limit, offset = 0, after }: Select, table: Table): Sql {
  const conditions = conditionsOf(where, table);
  if (typeof after === "number") conditions.push(behind(order, where, after));
  else if (after !== undefined) conditions.push(sql`(trashed_at, id) > (${after[0].getTime()}, ${after[1]})`);
  const columns = table === "live" ? sql`*` : sql`trashed_at, record`;
  return sql`SELECT ${columns} FROM ${sourceOf(table, where, order)} WHERE ${allOf(conditions)} ${orderBy(order, where)}
    LIMIT ${planless(limit)} OFFSET ${planless(offset)}`;
}

/** Builds the query of ids and places of one table. */
export function placesQuery({ where, order, limit, after }: SelectPlaces, table: Table): Sql {
  const conditions = conditionsOf(where, table);
  if (after !== undefined) conditions.push(behind(order, where, after));
  const source = table === "live" ? sql`checkpoint` : RECORDS;
  return sql`SELECT id, sequence, ${placeColumn(where)} AS place FROM ${source} WHERE ${allOf(conditions)} ${orderBy(order, where)}
    LIMIT ${planless(limit)}`;
}

/** Builds the query of a total. The totals of a whole session, project or store are stored; others are counted. */
export function countQuery(where: Where, table: Table): Sql {
  const { state: _state, sessionId, project, kinds, notKinds, tags = [], words = [], ...others } = where;
  const isWhole = tags.length === 0 && words.length === 0 && Object.values(others).every((value) => value === undefined || value === false);
  if (isWhole && where.damaged === undefined && table === "live") {
    if (sessionId === undefined) return knownQuery(where);
    const hidesAsides = notKinds?.length === 1 && notKinds[0] === "aside";
    if (project === undefined && kinds === undefined && hidesAsides) return sessionQuery(sessionId);
  }
  return sql`SELECT count(*) AS total FROM ${sourceOf(table, where)} WHERE ${allOf(conditionsOf(where, table))}`;
}

function knownQuery({ project, kinds, notKinds }: Where): Sql {
  const [scope, name] = project === undefined ? ["store", ""] : ["project", project];
  return sql`SELECT coalesce(sum(total), 0) AS total FROM checkpoint_total
    WHERE ${allOf([sql`scope = ${scope}`, sql`name = ${name}`, ...ofKinds({ kinds }), ...exceptKinds(notKinds)])}`;
}

/** Returns one row, with 0 when there is no such session. */
function sessionQuery(sessionId: string): Sql {
  return sql`SELECT coalesce(sum(checkpoint_count - aside_count), 0) AS total FROM session WHERE id = ${sessionId}`;
}

function placeColumn({ sessionId }: Where): Sql {
  return sessionId === undefined ? sql`ordinal` : sql`sequence`;
}

function behind(order: Select["order"], where: Where, after: number): Sql {
  const place = placeColumn(where);
  return order === "newest" ? sql`${place} < ${planless(after)}` : sql`${place} > ${planless(after)}`;
}

function orderBy(order: Select["order"], where: Where): Sql {
  // The index of asides has their ordinals.
  const place = isOfAsides(where) ? sql`ordinal` : placeColumn(where);
  switch (order) {
    case "newest":
      return sql`ORDER BY ${place} DESC`;
    case "oldest":
      return sql`ORDER BY ${place}`;
    case "trashed":
      return sql`ORDER BY trashed_at, id`;
    case "any":
      return sql``;
  }
}

function conditionsOf(where: Where, table: Table): Sql[] {
  const { ids, blobs, notId, unshieldedAt } = where;
  const all: readonly (Sql | undefined)[] = [
    ofSession(where),
    ids === undefined ? undefined : oneOf(sql`id`, ids),
    blobs === undefined ? undefined : oneOf(sql`blob`, blobs),
    notId === undefined ? undefined : sql`id <> ${planless(notId)}`,
    ofPrefix(where.idPrefix),
    ofProject(where),
    where.headsOnly === true ? sql`ordinal IN ${HEADS}` : undefined,
    where.notProject === undefined ? undefined : sql`project IS NOT ${planless(where.notProject)}`,
    where.workflowId === undefined ? undefined : sql`workflow_id = ${planless(where.workflowId)}`,
    where.agentId === undefined ? undefined : sql`agent_id = ${planless(where.agentId)}`,
    where.phase === undefined ? undefined : sql`json_extract(attributes, '$.phase') = ${planless(where.phase)}`,
    where.since === undefined ? undefined : sql`created_at >= ${planless(where.since.getTime())}`,
    where.until === undefined ? undefined : sql`created_at <= ${planless(where.until.getTime())}`,
    ...ofKinds(where),
    ...exceptKinds(where.notKinds),
    ofDamage(where.damaged),
    where.isShielded === undefined ? undefined : sql`shielded_until IS NOT NULL`,
    unshieldedAt === undefined ? undefined : sql`coalesce(shielded_until, 0) <= ${planless(unshieldedAt.getTime())}`,
    where.withoutTag === undefined ? undefined : sql`NOT ${has(where.withoutTag, table)}`,
    where.name === undefined ? undefined : contains(sql`folded_name`, where.name),
    ...(where.words ?? []).map(holdsWord),
    ...(where.tags ?? []).map((tag) => tagged(tag, table)),
  ];
  return all.filter((condition) => condition !== undefined);
}

/** Condition for a session. With ids or blobs, their index serves better, and the `+` hides the column from the planner. */
function ofSession({ sessionId, ids, blobs }: Where): Sql | undefined {
  if (sessionId === undefined) return undefined;
  return ids === undefined && blobs === undefined ? sql`session_id = ${planless(sessionId)}` : sql`+session_id = ${sessionId}`;
}

/** Condition for a text that is in a list. */
export function oneOf(column: Sql, values: readonly string[]): Sql {
  const [only] = values;
  return values.length === 1 && only !== undefined
    ? sql`${column} = ${only}`
    : sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
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

function ofProject({ project, repository }: Where): Sql | undefined {
  const there = project === undefined ? undefined : sql`project = ${planless(project)}`;
  if (repository === undefined) return there;
  const kept = sql`json_extract(attributes, ${`$.${GIT_STATE}.commonDir`}) = ${planless(repository)}`;
  return there === undefined ? kept : sql`(${there} OR ${kept})`;
}

/** Condition for kinds. SQLite uses the index of asides only when the statement has `'aside'` as a literal. */
function ofKinds({ kinds }: Pick<Where, "kinds">): readonly Sql[] {
  if (kinds === undefined) return [];
  return [isOfAsides({ kinds }) ? sql`kind = 'aside'` : sql`kind IN (${list(kinds)})`];
}

function isOfAsides({ kinds }: Pick<Where, "kinds">): boolean {
  return kinds?.length === 1 && kinds[0] === "aside";
}

function exceptKinds(kinds: readonly CheckpointKind[] = []): readonly Sql[] {
  return kinds.map((kind) => sql`kind <> ${planless(kind)}`);
}

/** SQLite uses the index of damaged checkpoints only when the statement has the mark as a literal. */
function ofDamage(damaged: boolean | undefined): Sql | undefined {
  if (damaged === undefined) return undefined;
  return damaged ? sql`damaged = 1` : sql`damaged = 0`;
}

/**
 * Parameter that the query plan does not depend on. In a statement with ORDER BY, SQLite plans anew each time that a parameter is bound
 * that a column is compared with, which takes ten times as long as finding the row. With a `+` before it, the parameter is an
 * expression, and the plan stays.
 */
export function planless(value: string | number): Sql {
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

/** Condition for a tag of the checkpoint itself. Only live checkpoints are in the index of tags. */
function has(tag: string, table: Table): Sql {
  return table === "live"
    ? sql`EXISTS (SELECT 1 FROM checkpoint_tag WHERE ordinal = checkpoint.ordinal AND tag = ${tag})`
    : sql`EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ${tag})`;
}

/** Condition for a tag of the checkpoint or of its session. */
function tagged(tag: string, table: Table): Sql {
  const own = table === "live" ? sql`ordinal IN (SELECT ordinal FROM checkpoint_tag WHERE tag = ${tag})` : has(tag, table);
  return sql`(${own}
    OR session_id IN (SELECT session.id FROM session, json_each(session.tags) WHERE json_each.value = ${tag}))`;
}

function list(values: readonly string[]): Sql {
  return joined(
    values.map((value) => sql`${value}`),
    ", ",
  );
}

/** Joins conditions, all of which must hold. */
export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : joined(conditions, " AND ");
}
