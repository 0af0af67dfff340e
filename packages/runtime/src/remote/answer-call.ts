import { invalidInput, isWorkrailError, type Log, WorkrailError } from "@workrail/core";
import { operationOf, OPERATIONS } from "../facets/operations.ts";
import type { Caller } from "../isolation.ts";
import { type MethodWithParams, PARAM_FIELDS } from "../param-fields.ts";
import type { Operations, Workrail } from "../workrail.ts";
import type { CallerPlace } from "./caller-place.ts";
import { isCallback, parseWire, WIRE_VERSION, writeWire } from "./wire.ts";

/** Right that a caller of an operation needs. */
export type OperationScope = "read" | "write" | "admin";

/** A call of an operation, as it arrives at a node. */
export interface NodeCall {
  /** Name of the operation. */
  readonly operation: string;
  readonly body: string;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  /** Opens the store for the caller. */
  readonly open: (place: CallerPlace) => Promise<Workrail>;
  /** Sends a line. Resolves when more can be sent; rejects when the caller has left. */
  readonly send: (line: string) => Promise<void>;
  readonly log: Log;
}

/** Interval of empty lines, by which a caller knows that the node still works. */
const SIGN_OF_LIFE_MS = 10_000;

/** Returns the right that an operation needs; `undefined` for one that a node does not offer. */
export function scopeOfOperation(name: string): OperationScope | undefined {
  if (!Object.hasOwn(OPERATIONS, name)) return undefined;
  const { remote, scope, changes } = operationOf(name);
  if (remote === "here" || remote === "at the node") return undefined;
  return scope ?? (changes === undefined ? "read" : "write");
}

/**
 * Answers a call of an operation in lines of JSON: `item` for each item of a stream, `call` for each call of a function in the parameters,
 * then `result` or `error`. The caller's right must have been checked. Never rejects, unless the caller has left.
 */
export async function answerCall({ operation, body, signal, open, send, log }: NodeCall): Promise<void> {
  const alive = setInterval(() => void send("\n").catch(ignore), SIGN_OF_LIFE_MS);
  const tell = (line: object): Promise<void> => send(`${writeWire(line)}\n`);
  try {
    const call = parseCall(body);
    const whole = await open(call.place);
    const store = call.projects === undefined ? whole : whole.asCaller({ projects: call.projects });
    const on = (name: string, args: readonly unknown[]): void => void tell({ call: name, args }).catch(ignore);
    const answer = (store[operation as keyof Operations] as (...args: unknown[]) => unknown)(...argsOf(operation, call, { signal, on }));
    if (operationOf(operation).runs === "stream") {
      for await (const item of answer as AsyncIterable<unknown>) await tell({ item });
      await tell({ result: undefined });
    } else await tell({ result: await answer });
  } catch (error) {
    signal.throwIfAborted();
    if (!isWorkrailError(error) || error.code === "INTERNAL") log.error("a call failed unexpectedly", { operation, error });
    await tell({
      error: isWorkrailError(error) ? error : new WorkrailError("INTERNAL", "The node failed unexpectedly.", { hint: IN_LOG }),
    });
  } finally {
    clearInterval(alive);
  }
}

const IN_LOG = "The cause is in the log of the node.";

interface ParsedCall {
  readonly args: readonly unknown[];
  readonly place: CallerPlace;
  /** The only projects that exist for the call. Default: all of the caller. */
  readonly projects: Caller["projects"];
  /** Names of functions in the parameters, whose calls are sent. */
  readonly calls: readonly string[];
}

function parseCall(body: string): ParsedCall {
  let given: unknown;
  try {
    given = parseWire(body);
  } catch (cause) {
    throw new WorkrailError("INVALID_INPUT", "The body is not JSON, or contains values of an unknown kind.", { cause });
  }
  const { version, args, place = {}, projects, calls = [] } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (version !== WIRE_VERSION) {
    const hint = "Use the same version of Workrail in the program and at the node.";
    throw new WorkrailError("UNSUPPORTED_VERSION", `The node accepts version ${WIRE_VERSION} of calls.`, { hint });
  }
  if (!Array.isArray(args)) throw invalidInput("args", "args must be a list.");
  if (!Array.isArray(calls)) throw invalidInput("calls", "calls must be a list.");
  if (projects !== undefined && !Array.isArray(projects)) throw invalidInput("projects", "projects must be a list.");
  return {
    args,
    place: place as CallerPlace,
    projects: projects as Caller["projects"],
    calls: calls.map(String).filter(isCallback),
  };
}

interface Reach {
  readonly signal: AbortSignal;
  readonly on: (name: string, args: readonly unknown[]) => void;
}

/** Puts functions and a signal in the place of those that the caller kept. */
function argsOf(operation: string, { args, calls }: ParsedCall, { signal, on }: Reach): readonly unknown[] {
  const { params } = operationOf(operation);
  if (params === undefined) return args;
  const fields: object = PARAM_FIELDS[operation as MethodWithParams];
  const functions = calls.map((name) => [name, (...told: readonly unknown[]) => on(name, told)] as const);
  const given = { ...Object.fromEntries(functions), ...("signal" in fields ? { signal } : {}) };
  const found = args[params.at];
  // Others are refused by the operation.
  const isObject = found === undefined || (typeof found === "object" && found !== null && !Array.isArray(found));
  if (Object.keys(given).length === 0 || !isObject) return args;
  return Object.assign([...args], { [params.at]: { ...found, ...given } });
}

function ignore(): void {}
