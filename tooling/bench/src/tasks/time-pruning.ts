import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "@workrail/core";
import { atStep, generateContext } from "../generate-context.ts";
import { untilQuiet } from "../rest.ts";
import { type Summary, summarize } from "../statistics.ts";
import { NO_LIMIT, openLibrary } from "./open-library.ts";

/**
 * Work that follows a save. `limit`: removing the oldest checkpoint; `no limit`: compaction only; `a session each`: neither, as each
 * session has one checkpoint.
 */
export const PRUNING_SIDES = ["limit", "no limit", "a session each"] as const;
export type PruningSide = (typeof PRUNING_SIDES)[number];

export interface PruningInput {
  /** Data directory of each side. */
  readonly directories: Readonly<Record<PruningSide, string>>;
  readonly saves: number;
  readonly limit: number;
  readonly bytes: number;
}

export interface PrunedSide {
  readonly times: Summary;
  /** Number of saves that took more than three times the median. */
  readonly slow: number;
  readonly checkpoints: number;
  /** Bytes of its sessions in the catalog. */
  readonly storedBytes: number;
}

export type PruningResult = Readonly<Record<PruningSide, PrunedSide>>;

const SESSION = "session";
/** Saves in a turn of a side: without a pause, so that the work after saves runs beside them. */
const BLOCK = 50;
const PAGE = 100;

/** Saves without a pause, in blocks, the sides in turns, and checks that the remaining checkpoints are the saved ones. */
export async function timePruning({ directories, saves, limit, bytes }: PruningInput): Promise<PruningResult> {
  const sides = await Promise.all(
    PRUNING_SIDES.map(async (side) => {
      const library = await openLibrary(directories[side], side === "limit" ? limit : NO_LIMIT);
      return { side, library, times: [] as number[], ids: [] as string[] };
    }),
  );
  const contexts = growing(generateContext(bytes, 1));
  for (let from = 0; from < saves; from += BLOCK) {
    for (const { side, library, times, ids } of sides) {
      for (let step = from; step < Math.min(saves, from + BLOCK); step++) {
        const sessionId = side === "a session each" ? `${SESSION}-${step}` : SESSION;
        const context = contexts(step);
        await yieldToEventLoop();
        const started = performance.now();
        const { checkpointId } = await library.saveCheckpoint({ sessionId, context });
        times.push(performance.now() - started);
        ids.push(checkpointId);
      }
      await untilQuiet();
    }
  }
  const results: [PruningSide, PrunedSide][] = [];
  for (const { side, library, times, ids } of sides) {
    const live = side === "limit" ? ids.slice(-limit) : ids;
    for (const checkpointId of live) {
      const { context } = await library.loadCheckpoint({ checkpointId });
      if (!isDeepStrictEqual(context, contexts(ids.indexOf(checkpointId))))
        throw new Error(`${side}: ${checkpointId} is not what was saved.`);
    }
    const summary = summarize(times);
    const slow = times.filter((time) => time > 3 * summary.median).length;
    results.push([side, { times: summary, slow, ...(await held(library)) }]);
    await library.close();
  }
  return Object.fromEntries(results) as PruningResult;
}

/** Returns contexts that grow a little with each step, as in a long session. */
function growing(context: Context): (step: number) => Context {
  return (step) => ({ ...atStep(context, step), log: Array.from({ length: step % 200 }, (_, line) => `line ${line} of the log`) });
}

async function held(library: Awaited<ReturnType<typeof openLibrary>>): Promise<Pick<PrunedSide, "checkpoints" | "storedBytes">> {
  let storedBytes = 0;
  for (let offset = 0; ; offset += PAGE) {
    const { checkpoints, total } = await library.findCheckpoints({ project: null, limit: PAGE, offset });
    for (const { contextSizeBytes } of checkpoints) storedBytes += contextSizeBytes;
    if (offset + PAGE >= total) return { checkpoints: total, storedBytes };
  }
}
