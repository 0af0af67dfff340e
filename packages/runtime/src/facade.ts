import { readOnly } from "@workrail/core";
import { checkParams } from "./check-params.ts";
import type { Need, Operation } from "./facets/operation.ts";
import { OPERATIONS } from "./facets/operations.ts";
import type { MethodWithParams } from "./param-fields.ts";
import { ProjectCheckpoints } from "./project-checkpoints/project-checkpoints.ts";
import type { Call, Runs, Store } from "./store.ts";
import type { Operations, Workrail } from "./workrail.ts";

/** Operations without the types of their arguments. */
type Untyped = Readonly<Record<string, Operation<MethodWithParams, (...args: readonly unknown[]) => unknown>>>;

/** A call of an operation, with checked arguments. */
export interface RoutedCall extends Call {
  readonly name: string;
  readonly needs: Need | "own way";
  readonly args: readonly unknown[];
}

/** Runs calls on a store that has what they need: a plain store, or one with a fallback. */
export interface Route extends Pick<Store, "parts" | "project" | "dataDir" | "durability" | "isReadOnly" | "close"> {
  run(call: RoutedCall): unknown;
}

/** Makes the library's object over a route: one method for each operation, under the types of `Workrail`. */
export function workrailOver(route: Route): Workrail {
  const methods = Object.entries(OPERATIONS as unknown as Untyped).map(([name, operation]) => {
    const { needs, runs, changes, params } = operation;
    const run = (args: readonly unknown[]): unknown => {
      const given = params === undefined ? undefined : (args[params.at] as { readonly dryRun?: unknown } | null | undefined);
      // First: a read-only store refuses every change for this reason, also one with wrong parameters or without effect.
      if (changes !== undefined && route.isReadOnly && (changes === true || given?.dryRun !== true)) throw readOnly();
      const isLeftOut = params === undefined || (params.isOptional && given === undefined);
      if (!isLeftOut) checkParams(given as object, name as MethodWithParams, params.called);
      return route.run({ name, needs, runs, args, on: (store) => operation.run.call(workrail, store, ...args) });
    };
    return [name, methodOf(runs, run)] as const;
  });
  const operations = Object.fromEntries(methods) as unknown as Operations;
  const { parts, project, dataDir } = route;
  const close = (): Promise<void> => route.close();
  const workrail: Workrail = {
    ...operations,
    dataDir,
    get durability() {
      return route.durability;
    },
    projectCheckpoints: new ProjectCheckpoints({ ...parts, workrail: operations, project }),
    close,
    [Symbol.asyncDispose]: close,
  };
  return workrail;
}

function methodOf(runs: Runs | undefined, run: (args: readonly unknown[]) => unknown): (...args: readonly unknown[]) => unknown {
  if (runs === "at once") return (...args) => run(args);
  if (runs !== "stream") return async (...args) => run(args);
  return async function* stream(...args) {
    yield* (await run(args)) as AsyncIterable<unknown>;
  };
}
