import { WorkrailError } from "@workrail/core";
import type { Compilable } from "kysely";
import { checkpointsQuery, countQuery, placesQuery } from "./checkpoint-queries.ts";
import { auditQuery, edgesQuery, erasuresQuery, removalsQuery, sessionsQuery } from "./other-queries.ts";
import type { BuiltRead, Position, Shape } from "../read-shape.ts";
import type { Bound } from "./sqlite-terms.ts";

/** SQL with the positions of the values that its parameters bind, in order. */
export interface Statement {
  readonly sql: string;
  readonly binds: readonly Position[];
}

const QUERIES: {
  readonly [K in BuiltRead["of"]]: (shape: Shape<Extract<BuiltRead, { readonly of: K }>>) => Compilable;
} = {
  checkpoints: checkpointsQuery,
  places: placesQuery,
  count: countQuery,
  sessions: sessionsQuery,
  edges: edgesQuery,
  removals: removalsQuery,
  erasures: erasuresQuery,
  audit: auditQuery,
};

/** Builds the statement that answers every read of a shape. */
export function buildStatement(shape: Shape<BuiltRead>): Statement {
  const { sql, parameters } = QUERIES[shape.of](shape as never).compile();
  return { sql, binds: parameters.map(positionOf) };
}

function positionOf(parameter: unknown): Position {
  if (isBound(parameter)) return parameter.position;
  throw new WorkrailError("INTERNAL", "A query binds a value that other reads of the same shape lack.");
}

function isBound(parameter: unknown): parameter is Bound {
  return typeof parameter === "object" && parameter !== null && "position" in parameter;
}
