import { type CheckpointKind, GIT_STATE, type Where } from "@workrail/core";
import { type Expression, expressionBuilder, sql, type SqlBool } from "kysely";
import type { StoredTables } from "../schema.ts";
import { builder, type Condition } from "./query-builder.ts";
import type { Position, Shape } from "../read-shape.ts";
import { contains, elements, has, hasAny, isListed, member, number, text, unindexed } from "./sqlite-terms.ts";

/** The columns of live checkpoints. Rows of the trash are given the same columns. */
const eb = expressionBuilder<StoredTables, "checkpoint">();

/** Returns a condition for each member of a filter that is set. */
export function conditionsOf(where: Shape<Where>): readonly Condition[] {
  const {
    state,
    ids,
    blobs,
    notId,
    notProject,
    workflowId,
    agentId,
    phase,
    since,
    until,
    isShielded,
    unshieldedAt,
    withoutTag,
    ownTags,
    name,
  } = where;
  return [
    ofSession(where),
    ids === undefined ? undefined : isListed(eb.ref("id"), ids),
    blobs === undefined ? undefined : isListed(eb.ref("blob"), blobs),
    notId === undefined ? undefined : eb("id", "<>", text(notId)),
    ofPrefix(where),
    ofProject(where),
    where.headsOnly === true ? eb("ordinal", "in", heads()) : undefined,
    notProject === undefined ? undefined : eb("project", "is distinct from", text(notProject)),
    workflowId === undefined ? undefined : eb("workflow_id", "=", text(workflowId)),
    agentId === undefined ? undefined : eb("agent_id", "=", text(agentId)),
    phase === undefined ? undefined : eb(member(eb.ref("attributes"), "phase"), "=", text(phase)),
    since === undefined ? undefined : eb("created_at", ">=", number(since)),
    until === undefined ? undefined : eb("created_at", "<=", number(until)),
    ...ofKinds(where),
    // SQLite uses the index of damaged checkpoints only when the statement has the mark as a literal.
    where.damaged === undefined ? undefined : eb("damaged", "=", eb.lit(where.damaged ? 1 : 0)),
    isShielded === undefined ? undefined : eb("shielded_until", "is not", null),
    unshieldedAt === undefined ? undefined : eb(eb.fn.coalesce("shielded_until", eb.lit(0)), "<=", number(unshieldedAt)),
    ownTags === undefined ? undefined : hasOneOf(state, ownTags),
    withoutTag === undefined ? undefined : eb.not(hasTag(state, withoutTag)),
    name === undefined ? undefined : contains(eb.ref("folded_name"), name),
    ...(where.words ?? []).map((forms) => eb.or(forms.map((form) => contains(eb.ref("folded"), form)))),
    ...(where.attributes ?? []).map((attribute) => hasAttribute(where, attribute)),
    ...(where.tags ?? []).map((tag) => (state === "live" && where.sessionId !== undefined ? isTaggedInSession(tag) : isTagged(state, tag))),
  ];
}

/** Condition for a session. With ids or blobs, their index serves better. */
function ofSession({ sessionId, ids, blobs }: Shape<Where>): Condition {
  if (sessionId === undefined) return undefined;
  const column = ids === undefined && blobs === undefined ? eb.ref("session_id") : unindexed(eb.ref("session_id"));
  return eb(column, "=", text(sessionId));
}

/** Condition for a prefix of ids, as a range that uses the index of ids. No id has a character above `~`. */
function ofPrefix({ idPrefix }: Shape<Where>): Condition {
  if (idPrefix === undefined) return undefined;
  const end = eb(text(idPrefix), "||", sql.lit("~"));
  return eb.and([eb("id", ">=", text(idPrefix)), eb("id", "<", end)]);
}

function ofProject({ project, repository }: Shape<Where>): Condition {
  const there = project === undefined ? [] : [eb("project", "=", text(project))];
  const kept = repository === undefined ? [] : [eb(member(eb.ref("attributes"), GIT_STATE, "commonDir"), "=", text(repository))];
  return there.length + kept.length === 0 ? undefined : eb.or([...there, ...kept]);
}

/** Conditions for kinds. Kinds are literals: SQLite uses the index of asides only when the statement has `'aside'`. */
export function ofKinds({ kinds, notKinds = [] }: Pick<Shape<Where>, "kinds" | "notKinds">): readonly Condition[] {
  const isOne = (kind: CheckpointKind) => eb("kind", "=", sql.lit(kind));
  const isNone = notKinds.map((kind) => eb("kind", "<>", sql.lit(kind)));
  if (kinds === undefined) return isNone;
  return [
    kinds.length === 1
      ? eb.or(kinds.map(isOne))
      : eb(
          "kind",
          "in",
          kinds.map((kind) => sql.lit(kind)),
        ),
    ...isNone,
  ];
}

/** Ordinals of all heads, looked up session by session with the index of sequences. */
function heads() {
  return builder.selectFrom("session").select((session) =>
    session
      .selectFrom("checkpoint as head")
      .select("head.ordinal")
      .whereRef("head.session_id", "=", "session.id")
      .where("head.kind", "<>", sql.lit("aside" as const))
      .where("head.damaged", "=", eb.lit(0))
      .orderBy("head.sequence", "desc")
      .limit(eb.lit(1))
      .as("ordinal"),
  );
}

/** Condition for a tag of the checkpoint itself. Only live checkpoints are in the index of tags. */
function hasTag(state: Where["state"], tag: Position): Expression<SqlBool> {
  if (state !== "live") return has(eb.ref("tags"), tag);
  const found = eb.selectFrom("checkpoint_tag").select("tag").whereRef("checkpoint_tag.ordinal", "=", "checkpoint.ordinal");
  return eb.exists(found.where("tag", "=", text(tag)));
}

/** Condition for one of several tags of the checkpoint itself. */
function hasOneOf(state: Where["state"], tags: Position): Expression<SqlBool> {
  if (state !== "live") return hasAny(eb.ref("tags"), tags);
  return eb(
    "ordinal",
    "in",
    builder
      .selectFrom("checkpoint_tag")
      .select("ordinal")
      .where(isListed(eb.ref("tag" as never), tags)),
  );
}

/**
 * Condition for an attribute, which is bound as a JSON object with one member. Only live checkpoints are in the index, and the latest are
 * not yet. In a session, each row is compared, instead of all that have the attribute.
 */
function hasAttribute({ state, sessionId }: Shape<Where>, attribute: Position): Expression<SqlBool> {
  const wanted = sql`json_each(${text(attribute)}) as wanted`;
  if (state !== "live" || sessionId !== undefined) {
    return sql<SqlBool>`exists (select 1 from ${wanted}, json_each(${eb.ref("attributes")}) as own
      where own.key = wanted.key and own.type = wanted.type and own.atom is wanted.atom)`;
  }
  const isWanted = sql`kept.name = wanted.key and kept.type = wanted.type and kept.value = coalesce(wanted.atom, 0)`;
  const until = sql`coalesce((select value from state where key = 'attributes_until'), 0)`;
  const found = sql<number>`(select kept.ordinal from ${wanted} cross join checkpoint_attribute as kept where ${isWanted}
    union all select kept.ordinal from ${wanted}, attribute as kept where kept.ordinal > ${until} and ${isWanted})`;
  return eb("ordinal", "in", found);
}

/** The same as `isTagged` where few rows are left: looks up each of them, instead of all that have the tag. */
function isTaggedInSession(tag: Position): Expression<SqlBool> {
  const session = eb.selectFrom("session").select("session.id").whereRef("session.id", "=", "checkpoint.session_id");
  return eb.or([hasTag("live", tag), eb.exists(session.where(has(sql.ref("session.tags"), tag)))]);
}

/** Condition for a tag of the checkpoint or of its session. */
function isTagged(state: Where["state"], tag: Position): Expression<SqlBool> {
  const tagged = builder.selectFrom("checkpoint_tag").select("ordinal").where("tag", "=", text(tag));
  const own = state === "live" ? eb("ordinal", "in", tagged) : hasTag(state, tag);
  const labels = elements(sql.ref("session.tags")).as<"label">(sql.ref("label"));
  const sessions = builder.selectFrom(["session", labels]).select("session.id").where("label.value", "=", text(tag));
  return eb.or([own, eb("session_id", "in", sessions)]);
}
