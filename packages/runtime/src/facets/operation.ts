import type { MethodWithParams } from "../param-fields.ts";
import type { Runs, Store } from "../store.ts";
import type { Operations, Workrail } from "../workrail.ts";

/**
 * The needs of an operation while the disk is not writable.
 *
 * `read`: the store on disk, or memory over it. `readable disk`: the same, and fails when the disk cannot be read either. `disk`: the store
 * on disk. `whole session`: the disk with all data of the session that the first argument names. `whole store`: the disk; the result says
 * how many checkpoints are only in memory. `own way`: a method of `Fallback` in `fallback.ts`.
 */
export type Need = "read" | "readable disk" | "disk" | "whole session" | "whole store";

/** Operations that `Fallback` implements by a method of the same name. */
export type FallbackMethod =
  | "saveCheckpoint"
  | "markCritical"
  | "compressContext"
  | "prioritizeContext"
  | "erase"
  | "deleteCheckpoint"
  | "storeStatus"
  | "takeIncoming";

/**
 * Place where a program whose store is a node runs an operation. Default: the node. `repeatable`: the same, and a change whose answer was
 * lost is sent again. `here`: in the program, made of other operations. `at the node`: refused, because it needs the disk of the node.
 */
export type Remote = "repeatable" | "here" | "at the node";

/** The argument of an operation that has named fields. */
export interface ParamsArgument {
  readonly at: 0 | 1;
  readonly isOptional: boolean;
  /** Its name in messages. */
  readonly called: "params" | "options" | "filter";
}

export const PARAMS: ParamsArgument = { at: 0, isOptional: false, called: "params" };
export const MAYBE_PARAMS: ParamsArgument = { at: 0, isOptional: true, called: "params" };
export const OPTIONS: ParamsArgument = { at: 1, isOptional: true, called: "options" };

type AnyMethod = (...args: never[]) => unknown;

/** A method of the library: its needs, its checks and its implementation. */
interface AnyOperation<Name, Method> {
  readonly needs: Name extends FallbackMethod ? "own way" : Need;
  /** True for changes, which a read-only store refuses before any other check. `unless dry run`: by the field `dryRun`. */
  readonly changes?: true | "unless dry run";
  /** The argument whose fields are checked by name and type before the call. */
  readonly params?: ParamsArgument;
  readonly runs?: Runs;
  /**
   * True when it concerns the whole store: refused for a caller with a right to some projects only. `behind`: done for such a caller on the
   * whole store, because its result tells nothing. Default: the caller sees and changes its projects only.
   */
  readonly wholeStore?: true | "behind";
  readonly remote?: Remote;
  /** The right that a caller of a node needs. `admin`: it removes data for good. Default: `write` for changes, else `read`. */
  readonly scope?: "write" | "admin";
  /** Runs it on a store. `this` is the library's object, for operations made of others. */
  run(
    this: Workrail,
    store: Store,
    ...args: Method extends AnyMethod ? Parameters<Method> : never
  ): Method extends AnyMethod ? ReturnType<Method> : never;
}

/** A method of the library; the compiler demands the check of parameters that have named fields. */
export type Operation<Name, Method> = AnyOperation<Name, Method> &
  (Name extends MethodWithParams ? { readonly params: ParamsArgument } : { readonly params?: never });

/** A group of operations, by name. */
export type Facet<Methods extends Partial<Operations>> = { readonly [Name in keyof Methods]: Operation<Name, Methods[Name]> };
