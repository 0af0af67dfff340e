import { type AttributeValue, foldedForms, type Where } from "@workrail/core";
import { type Expression, expressionBuilder, sql, type SqlBool } from "kysely";
import type { StoredTables } from "../schema.ts";
import { builder, type Condition } from "./query-builder.ts";

const eb = expressionBuilder<StoredTables, "checkpoint">();

/** Returns a condition for each member of a filter that is set. */
export function conditionsOf(tenant: string, where: Where): readonly Condition[] {
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
    eb("checkpoint.tenant_id", "=", tenant),
    state === "any" ? undefined : eb("checkpoint.trashed_at", state === "live" ? "is" : "is not", null),
    where.sessionId === undefined ? undefined : eb("checkpoint.session_id", "=", where.sessionId),
    ids === undefined ? undefined : isListed(eb.ref("checkpoint.id"), ids),
    blobs === undefined ? undefined : isListed(eb.ref("checkpoint.blob"), blobs),
    notId === undefined ? undefined : eb("checkpoint.id", "<>", notId),
    ofPrefix(where),
    ofProject(where),
    where.headsOnly === true ? isHead(tenant) : undefined,
    notProject === undefined ? undefined : eb("checkpoint.project", "is distinct from", notProject),
    workflowId === undefined ? undefined : eb("checkpoint.workflow_id", "=", workflowId),
    agentId === undefined ? undefined : eb("checkpoint.agent_id", "=", agentId),
    phase === undefined ? undefined : eb("checkpoint.phase", "=", phase),
    since === undefined ? undefined : eb("checkpoint.created_at", ">=", since.getTime()),
    until === undefined ? undefined : eb("checkpoint.created_at", "<=", until.getTime()),
    ...ofKinds(where),
    where.damaged === undefined ? undefined : eb("checkpoint.damaged", "=", eb.lit(where.damaged)),
    isShielded === undefined ? undefined : eb("checkpoint.shielded_until", "is not", null),
    unshieldedAt === undefined ? undefined : eb(eb.fn.coalesce("checkpoint.shielded_until", eb.lit(0)), "<=", unshieldedAt.getTime()),
    ownTags === undefined ? undefined : hasOneOf(tenant, ownTags),
    withoutTag === undefined ? undefined : eb.not(hasTag(tenant, withoutTag)),
    name === undefined ? undefined : contains(eb.ref("checkpoint.folded_name"), name.toLowerCase()),
    ...(where.words ?? []).map((word) => eb.or(foldedForms(word).map((form) => contains(eb.ref("checkpoint.folded"), form)))),
    ...Object.entries(where.attributes ?? {}).map((attribute) => hasAttribute(tenant, attribute)),
    ...(where.tags ?? []).map((tag) => eb.or([hasTag(tenant, tag), hasSessionTag(tenant, tag)])),
  ];
}

/** Condition for a text that is in a list. */
export function isListed(column: Expression<unknown>, list: readonly string[]): Expression<SqlBool> {
  return sql<SqlBool>`${column} = any(${list}::text[])`;
}

/** Conditions for kinds. Kinds are literals: an index of one kind serves only statements that name it. */
export function ofKinds({ kinds, notKinds = [] }: Pick<Where, "kinds" | "notKinds">): readonly Condition[] {
  const isNone = notKinds.map((kind) => eb("kind", "<>", sql.lit(kind)));
  if (kinds === undefined) return isNone;
  if (kinds.length === 0) return [sql<SqlBool>`false`];
  const isOne =
    kinds.length === 1
      ? kinds.map((kind) => eb("kind", "=", sql.lit(kind)))
      : [
          eb(
            "kind",
            "in",
            kinds.map((kind) => sql.lit(kind)),
          ),
        ];
  return [...isOne, ...isNone];
}

/** Condition for a prefix of ids, as a range of their index. No id has a character above `~`. */
function ofPrefix({ idPrefix }: Where): Condition {
  return idPrefix === undefined ? undefined : eb.and([eb("checkpoint.id", ">=", idPrefix), eb("checkpoint.id", "<", `${idPrefix}~`)]);
}

function ofProject({ project, repository }: Where): Condition {
  const there = project === undefined ? [] : [eb("checkpoint.project", "=", project)];
  const kept = repository === undefined ? [] : [eb("checkpoint.repository", "=", repository)];
  return there.length + kept.length === 0 ? undefined : eb.or([...there, ...kept]);
}

/** Condition for the head of a session. All heads are looked up session by session, with the index of sequences: sessions are fewer. */
function isHead(tenant: string): Condition {
  const head = builder
    .selectFrom("checkpoint as head")
    .select("head.ordinal")
    .where("head.tenant_id", "=", tenant)
    .whereRef("head.session_id", "=", sql.ref("session.id"))
    .where("head.trashed_at", "is", null)
    .where("head.kind", "<>", sql.lit("aside" as const))
    .where("head.damaged", "=", eb.lit(false))
    .orderBy("head.sequence", "desc")
    .limit(eb.lit(1));
  const heads = builder
    .selectFrom("session")
    .where("session.tenant_id", "=", tenant)
    .select(sql<number>`(${head})`.as("ordinal"));
  return eb("checkpoint.ordinal", "in", heads);
}

/** Condition for a tag of the checkpoint itself. */
function hasTag(tenant: string, tag: string): Expression<SqlBool> {
  const tagged = builder.selectFrom("checkpoint_tag").select("checkpoint_tag.ordinal").where("checkpoint_tag.tenant_id", "=", tenant);
  return eb("checkpoint.ordinal", "in", tagged.where("checkpoint_tag.tag", "=", tag));
}

/** Condition for one of several tags of the checkpoint itself. */
function hasOneOf(tenant: string, tags: readonly string[]): Expression<SqlBool> {
  const tagged = builder.selectFrom("checkpoint_tag").select("checkpoint_tag.ordinal").where("checkpoint_tag.tenant_id", "=", tenant);
  return eb(
    "checkpoint.ordinal",
    "in",
    tagged.where((of) => isListed(of.ref("checkpoint_tag.tag"), tags)),
  );
}

function hasAttribute(tenant: string, [name, value]: readonly [string, AttributeValue]): Expression<SqlBool> {
  const found = builder.selectFrom("checkpoint_attribute as kept").select("kept.ordinal").where("kept.tenant_id", "=", tenant);
  return eb("checkpoint.ordinal", "in", found.where("kept.name", "=", name).where("kept.value", "=", JSON.stringify(value)));
}

function hasSessionTag(tenant: string, tag: string): Expression<SqlBool> {
  const tagged = builder.selectFrom("session_tag").select("session_tag.session_id").where("session_tag.tenant_id", "=", tenant);
  return eb("checkpoint.session_id", "in", tagged.where("session_tag.tag", "=", tag));
}

/** Condition for a substring. `LIKE` would read wildcards in the text. */
function contains(column: Expression<unknown>, part: string): Expression<SqlBool> {
  return sql<SqlBool>`strpos(${column}, ${part}) > 0`;
}
