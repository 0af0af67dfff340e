import { type Context, type JsonValue, ownJson, WorkrailError } from "@workrail/core";
import type { CompressContextParams, IContextManagementService, ShapedContextResult } from "../context-management-service.ts";
import type { EntryTokens } from "./entry-tokens.ts";
import type { Condensed, CondensedEntry } from "./live-context.ts";
import { contextOptimizer } from "./context-optimizer.ts";
import type { EngineState, EnhancedContext } from "./enhanced-context.ts";
import { NO_ENGINE_STATE } from "./enhanced-context.ts";

export interface CondenseLiveOptions {
  readonly service: Pick<IContextManagementService, "compressContext">;
  readonly now: Date;
  readonly sizes: EntryTokens;
  /** Bounds entries and engine state together. */
  readonly wish: Pick<CompressContextParams, "sessionId" | "contextRules" | "focus" | "agentId"> & { readonly budgetTokens: number };
}

/** Applies a function to the live context as it is now, and returns the result. */
export type Change = (apply: (now: EnhancedContext) => EnhancedContext) => EnhancedContext;

/**
 * Shortens the live context to a budget. Saves the originals first. An entry written to meanwhile keeps its new value.
 *
 * @returns `undefined` when there was nothing to shorten.
 */
export async function condenseLive(options: CondenseLiveOptions, before: EnhancedContext, change: Change): Promise<Condensed | undefined> {
  const { sizes, service, wish } = options;
  const tokensBefore = await sizes.ofAll(contextOptimizer.prepareForPersistence(before));
  const engineTokens = tokensBefore - (await sizes.ofAll(before.context));
  const budgetTokens = Math.max(1, wish.budgetTokens - engineTokens);
  const shaped = await service.compressContext({ ...wish, context: before.context, budgetTokens, full: true });
  const original = originalOf(shaped);
  const shorter = shorterValues(before.context, shaped.context as Context);
  if (shorter.size === 0) return undefined;
  let done: readonly string[] = [];
  const after = change((now) => {
    done = [...shorter.keys()].filter((key) => Object.hasOwn(now.context, key) && now.context[key] === before.context[key]);
    const keys = done.filter((key) => !isCondensedAlready(now.engine, key));
    const context = replaced(now.context, new Map(done.map((key) => [key, shorter.get(key)])));
    return { context, engine: withCondensation(now.engine, { ...original, keys }, { done, now: options.now }) };
  });
  if (done.length === 0) return undefined;
  const tokensAfter = await sizes.ofAll(contextOptimizer.prepareForPersistence(after));
  return { ...original, keys: done, tokensBefore, tokensAfter, entries: done.map((key) => entryOf(key, shorter.get(key), shaped)) };
}

/** Returns the handle to the originals. Refuses originals that are only in memory: a crash would lose them. */
function originalOf({ checkpointId, validUntil, degraded, degradedReason }: ShapedContextResult): {
  readonly checkpointId: string;
  readonly validUntil: string;
} {
  if (checkpointId !== undefined && validUntil !== undefined && degraded !== true) return { checkpointId, validUntil };
  throw new WorkrailError("STORAGE_UNAVAILABLE", "The originals cannot be written to the disk, so nothing is condensed.", {
    details: { reason: degradedReason },
    hint: "Make the disk writable again. Until then the context keeps its size.",
  });
}

/** Returns new values by key; `undefined` for dropped entries. */
function shorterValues(before: Context, after: Context): ReadonlyMap<string, JsonValue | undefined> {
  const shorter = new Map<string, JsonValue | undefined>();
  for (const [key, value] of Object.entries(before)) {
    if (!Object.hasOwn(after, key)) shorter.set(key, undefined);
    else if (JSON.stringify(after[key]) !== JSON.stringify(value)) shorter.set(key, ownJson(after[key] as JsonValue));
  }
  return shorter;
}

function replaced(context: Context, values: ReadonlyMap<string, JsonValue | undefined>): Context {
  const entries = Object.entries(context).flatMap(([key, value]): [string, JsonValue][] => {
    if (!values.has(key)) return [[key, value]];
    const shorter = values.get(key);
    return shorter === undefined ? [] : [[key, shorter]];
  });
  return Object.freeze(Object.fromEntries(entries));
}

/** True when the entry was shortened before and not written since: its original is in the earlier checkpoint. */
function isCondensedAlready(engine: EngineState, key: string): boolean {
  return !engine.rewritten.includes(key) && engine.condensed.some((each) => each.keys.includes(key));
}

/** Records the location of the originals, and drops the records that have expired. */
function withCondensation(
  engine: EngineState,
  condensation: EngineState["condensed"][number],
  { done, now }: { readonly done: readonly string[]; readonly now: Date },
): EngineState {
  const valid = engine.condensed.filter((each) => new Date(each.validUntil) > now);
  return {
    ...NO_ENGINE_STATE,
    ...engine,
    condensed: condensation.keys.length === 0 ? valid : [...valid, condensation],
    rewritten: engine.rewritten.filter((key) => !done.includes(key)),
  };
}

function entryOf(key: string, value: JsonValue | undefined, { report }: ShapedContextResult): CondensedEntry {
  const layer = report.entries.find((each) => each.key === key)?.layer;
  return { key, ...(layer === undefined ? {} : { layer }), outcome: value === undefined ? "dropped" : "shortened" };
}
