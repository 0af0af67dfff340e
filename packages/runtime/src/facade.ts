import { readOnly } from "@workrail/core";
import { projectNotAllowed } from "@workrail/wrappers";
import { checkParams } from "./check-params.ts";
import type { Need, Operation } from "./facets/operation.ts";
import { OPERATIONS } from "./facets/operations.ts";
import { type Caller, needsWholeStore, parseCaller } from "./isolation.ts";
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

/** Runs calls on a store that has the needed data: a plain store, or one with a fallback. */
export interface Route extends Pick<Store, "parts" | "project" | "dataDir" | "durability" | "isReadOnly" | "close"> {
  run(call: RoutedCall): unknown;
  /** Returns the way to the part of the store that exists for a caller. */
  partFor(caller: Caller): Route;
}

/**
 * Makes the library's object over a route: one method for each operation, under the types of `Workrail`.
 *
 * @param whole the object for the whole store, when this one is for a caller.
 */
export function workrailOver(route: Route, whole?: { readonly workrail: Workrail; readonly caller: Caller }): Workrail {
  const methods = Object.entries(OPERATIONS as unknown as Untyped).map(([name, operation]) => {
    const { needs, runs, changes, params, wholeStore } = operation;
    const run = (args: readonly unknown[]): unknown => {
      if (whole !== undefined && wholeStore === "behind")
        return (whole.workrail[name as keyof Operations] as (...all: unknown[]) => unknown)(...args);
      if (whole?.caller.projects !== undefined && wholeStore === true) throw needsWholeStore(name);
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
  // A caller's part is closed with the whole.
  const close = async (): Promise<void> => (whole === undefined ? route.close() : undefined);
  const workrail: Workrail = {
    ...operations,
    dataDir: whole?.caller.projects === undefined ? dataDir : undefined,
    get durability() {
      return route.durability;
    },
    projectCheckpoints: new ProjectCheckpoints({ ...parts, workrail: operations, project, among: whole?.caller.projects }),
    asCaller(given) {
      const caller = { ...whole?.caller, ...parseCaller(given) };
      const own = whole?.caller.projects;
      if (own !== undefined && caller.projects?.every((each) => own.includes(each)) === false) throw projectNotAllowed(own);
      return whole?.workrail.asCaller(caller) ?? workrailOver(route.partFor(caller), { workrail, caller });
    },
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
