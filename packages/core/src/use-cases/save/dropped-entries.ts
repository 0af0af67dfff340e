import { classifyContext, type ClassifyOptions, type ClassifyPorts } from "../../classify/classify-context.ts";
import { isWorkrailError, WorkrailError } from "../../errors.ts";
import type { CheckpointKind, CheckpointRecord } from "../../model/checkpoint.ts";
import type { Context } from "../../model/context.ts";
import type { Base } from "./find-base.ts";
import type { LoadedCheckpoint, LoadPorts } from "../load/load-checkpoint.ts";
import { readContext, type ReadPorts } from "../load/read-context.ts";
import { findCheckpoint } from "../../catalog/queries/query-checkpoints.ts";
import type { Digest } from "../../model/ids.ts";

/** Top-level entries that a checkpoint's parent has and the checkpoint lacks. */
export interface DroppedEntries {
  /** Pinned entries first, then CRITICAL ones, then the others. */
  readonly keys: readonly string[];
  readonly pinned: readonly string[];
  readonly critical: readonly string[];
}

/** Excerpt of the dropped entries, reported with every load of the checkpoint. */
export interface NamedKeys {
  readonly keys: readonly string[];
  /** Total number of dropped entries. */
  readonly count: number;
}

export interface DroppedPorts extends ReadPorts, ClassifyPorts {
  /** Default: the parent is always read. */
  readonly recentKeys?: RecentKeys | undefined;
}

export interface DroppedInput {
  readonly context: Context;
  readonly parent: CheckpointRecord | undefined;
  readonly options: ClassifyOptions;
  readonly kind?: CheckpointKind | undefined;
  /** Base of a patch, which is already read. */
  readonly base?: Base | undefined;
  readonly refuseEmpty?: boolean | undefined;
  readonly force?: boolean | undefined;
}

/**
 * Returns the entries of the parent that a new state lacks. `undefined` when none is missing, when the two are not workflow
 * states, or when the parent cannot be read: this report never makes a save fail.
 *
 * @throws INVALID_INPUT for a given state without entries when the parent has some.
 */
export async function droppedEntries(ports: DroppedPorts, input: DroppedInput): Promise<DroppedEntries | undefined> {
  const { context, parent, kind = "workflow", base, options } = input;
  if (parent === undefined || kind !== "workflow" || parent.kind !== "workflow") return undefined;
  if (base === undefined && ports.recentKeys?.areAllIn(context, parent.exactDigest) === true) return undefined;
  const before = base?.context ?? (await unlessUnreadable(async () => (await readContext(ports, parent)).context));
  if (before === undefined) return undefined;
  ports.recentKeys?.add(parent.exactDigest, before);
  const keys = Object.keys(before).filter((key) => !Object.hasOwn(context, key));
  if (keys.length === 0) return undefined;
  if (input.refuseEmpty === true && input.force !== true && Object.keys(context).length === 0) throw dropsAll(keys.length);
  const pinned = keys.filter((key) => options.pins.includes(key));
  const others = keys.filter((key) => !options.pins.includes(key));
  const gone = Object.fromEntries(others.map((key) => [key, before[key] ?? null]));
  const classified = await classifyContext(ports, gone, options);
  const critical = others.filter((key) => classified.get(key)?.layer === "CRITICAL");
  return { keys: [...new Set([...pinned, ...critical, ...others])], pinned, critical };
}

/** Largest parent to read for this report, in bytes; a larger one would delay the load. */
const MOST_OF_PARENT = 256 * 1024;

/**
 * Returns the dropped entries of a loaded checkpoint. They are computed from the parent each time: stored names would survive the
 * erasure of the parent.
 */
export async function droppedSince(
  ports: LoadPorts & DroppedPorts,
  { record, context, session }: Pick<LoadedCheckpoint, "record" | "context" | "session">,
): Promise<NamedKeys | undefined> {
  const { parentId, kind } = record;
  if (parentId === null) return undefined;
  return ports.locking.shared(async () => {
    // When memory stands in for an unreadable disk, the parent may be on that disk.
    const parent = await unlessUnreadable(async () => findCheckpoint(ports.catalog, parentId));
    if (parent === undefined || parent.contextBytes > MOST_OF_PARENT) return undefined;
    const dropped = await droppedEntries(ports, { context, parent, kind, options: { pins: session?.pins ?? [] } });
    return dropped === undefined ? undefined : { keys: dropped.keys, count: dropped.keys.length };
  });
}

async function unlessUnreadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isWorkrailError(error)) return undefined;
    throw error;
  }
}

function dropsAll(entries: number): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `context is empty, and would drop all of the session's state (entries: ${entries}).`, {
    details: { field: "context", entries },
    hint: "context must be the whole state, not only the changes. Send changes as patch. To empty the state on purpose, set force.",
  });
}

/** Most contexts whose keys are kept, and most keys of one. */
const MOST_CONTEXTS = 100;
const MOST_KEYS = 1_000;

/** Keys of the contexts that were saved or compared last, by exact digest: beside a context with all of them, the parent need not be read. */
export class RecentKeys {
  readonly #keys = new Map<Digest, readonly string[]>();

  add(digest: Digest, context: Context): void {
    const keys = Object.keys(context);
    if (keys.length > MOST_KEYS) return;
    this.#keys.delete(digest);
    this.#keys.set(digest, keys);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > MOST_CONTEXTS && oldest !== undefined) this.#keys.delete(oldest);
  }

  /** True when a context is known to have each key of the context with this digest. */
  areAllIn(context: Context, digest: Digest): boolean {
    return this.#keys.get(digest)?.every((key) => Object.hasOwn(context, key)) === true;
  }
}
