import type { Operations } from "../workrail.ts";
import { audit } from "./audit.ts";
import { care } from "./care.ts";
import { checkpoints } from "./checkpoints.ts";
import type { MethodWithParams } from "../param-fields.ts";
import type { Facet, Operation } from "./operation.ts";
import { sessions } from "./sessions.ts";
import { transfers } from "./transfers.ts";
import { views } from "./views.ts";

/** Every operation of the library, once. */
export const OPERATIONS: Facet<Operations> = { ...checkpoints, ...views, ...sessions, ...care, ...audit, ...transfers };

/** An operation that is only known by its name. */
export type AnyOperation = Operation<MethodWithParams, (...args: readonly unknown[]) => unknown>;

/** @param name of an operation. */
export function operationOf(name: string): AnyOperation {
  return (OPERATIONS as unknown as Readonly<Record<string, AnyOperation>>)[name] as AnyOperation;
}
