import type { Read, Where } from "@workrail/core";
import { type Compilable, expressionBuilder, type ExpressionWrapper, type SelectQueryBuilder, sql } from "kysely";
import type { StoredTables } from "../schema.ts";
import { conditionsOf, ofKinds } from "./checkpoint-conditions.ts";
import { allOf, builder } from "./query-builder.ts";
import type { Position, Shape } from "../read-shape.ts";
import { member, number, text } from "./sqlite-terms.ts";

type Select = Extract<Read, { readonly of: "checkpoints" }>;
type SelectPlaces = Extract<Read, { readonly of: "places" }>;
type SelectCount = Extract<Read, { readonly of: "count" }>;

const eb = expressionBuilder<StoredTables, "checkpoint">();
const inTrash = expressionBuilder<StoredTables, "trashed">();

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
const trash = builder
  .selectFrom("trashed")
  .select(["session_id", "id", "blob", "trashed_at", "record"])
  .select((record) => RECORDED.map((column) => member(record.ref("record"), column).as(column)))
  .as("checkpoint");

/**
 * Builds the query of rows. The order of sequences and the order of ordinals are the same within a session, and each has an index.
 */
export function checkpointsQuery(shape: Shape<Select>): Compilable {
  return shape.where.state === "live"
    ? page(builder.selectFrom("checkpoint").selectAll(), shape)
    : page(builder.selectFrom(trash).select(["trashed_at", "record"]), shape);
}

/** Builds the query of ids and places. */
export function placesQuery(shape: Shape<SelectPlaces>): Compilable {
  const place = placeOf(shape.where).as("place");
  return shape.where.state === "live"
    ? page(builder.selectFrom("checkpoint").select(["id", "sequence", place]), shape)
    : page(builder.selectFrom(trash).select(["id", "sequence", place]), shape);
}

/** Builds the query of a total. The totals of a whole session, project or store are stored; others are counted. */
export function countQuery({ where }: Shape<SelectCount>): Compilable {
  const stored = storedTotal(where);
  if (stored !== undefined) return stored;
  const total = eb.fn.countAll<number>().as("total");
  const rows = where.state === "live" ? builder.selectFrom("checkpoint").select(total) : builder.selectFrom(trash).select(total);
  return rows.where(allOf(conditionsOf(where)));
}

function storedTotal(where: Shape<Where>): Compilable | undefined {
  const { state, sessionId, project, kinds, notKinds, headsOnly = false, ...others } = where;
  if (state !== "live" || headsOnly || Object.keys(others).length > 0) return undefined;
  if (sessionId === undefined) return totalOfScope(where);
  const hidesAsides = notKinds?.length === 1 && notKinds[0] === "aside";
  return project === undefined && kinds === undefined && hidesAsides ? totalOfSession(sessionId) : undefined;
}

function totalOfScope(where: Shape<Where>): Compilable {
  const scope = where.project === undefined ? "store" : "project";
  return builder
    .selectFrom("checkpoint_total")
    .select((of) => of.fn.coalesce(of.fn.sum<number>("total"), of.lit(0)).as("total"))
    .where("scope", "=", sql.lit(scope))
    .where("name", "=", where.project === undefined ? sql.lit("") : text(where.project))
    .where(allOf(ofKinds(where)));
}

/** Returns one row, with 0 when there is no such session. */
function totalOfSession(sessionId: Position): Compilable {
  return builder
    .selectFrom("session")
    .select((of) => of.fn.coalesce(of.fn.sum<number>(of("checkpoint_count", "-", of.ref("aside_count"))), of.lit(0)).as("total"))
    .where("id", "=", text(sessionId));
}

type Page = Pick<Shape<Select>, "where" | "order" | "limit" | "offset" | "after">;

function page<DB, T extends keyof DB, Row>(rows: SelectQueryBuilder<DB, T, Row>, { where, order, limit, offset, after }: Page): Compilable {
  const place = placeOf(where);
  const afterCursor = after === undefined ? undefined : isAfterCursor(place, order, after);
  const selected = rows.where(allOf([...conditionsOf(where), afterCursor])).limit(number(limit));
  const found = offset === undefined ? selected : selected.offset(number(offset));
  if (order === "any") return found;
  if (order === "trashed") return found.orderBy(inTrash.ref("trashed_at")).orderBy(inTrash.ref("id"));
  // The index of asides has their ordinals.
  const isOfAsides = where.kinds?.length === 1 && where.kinds[0] === "aside";
  return found.orderBy(isOfAsides ? eb.ref("ordinal") : place, order === "newest" ? "desc" : "asc");
}

function isAfterCursor(
  place: ExpressionWrapper<StoredTables, "checkpoint", number>,
  order: Select["order"],
  after: NonNullable<Page["after"]>,
) {
  if (typeof after === "number") return eb(place, order === "newest" ? "<" : ">", number(after));
  const [at, id] = after;
  return inTrash(inTrash.refTuple("trashed_at", "id"), ">", inTrash.tuple(number(at), text(id)));
}

function placeOf({ sessionId }: Shape<Where>): ExpressionWrapper<StoredTables, "checkpoint", number> {
  return sessionId === undefined ? eb.ref("ordinal") : eb.ref("sequence");
}
