import { hash } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { generateContext } from "../generate-context.ts";
import { openWorkrail } from "@workrail/runtime";

export interface LargeInput {
  readonly dataDir: string;
  /** `json` only writes and parses the context's JSON. */
  readonly side: "json" | "library";
  readonly bytes: number;
}

export interface LargePhase {
  readonly ms: number;
  /** Longest time that nothing else could run. */
  readonly stallMs: number;
  /** Peak memory so far. */
  readonly peakBytes: number;
}

export interface LargeSide {
  /** Memory of Node and the context itself, before the first operation. */
  readonly contextPeakBytes: number;
  readonly save: LargePhase;
  readonly load: LargePhase;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const SESSION = "large";
const RESOLUTION_MS = 5;
const PART_BYTES = 1_000_000;
const ROOM = 1_000_000_000;

/** Saves and loads one large context, and measures both. Throws unless it is restored exactly. */
export async function keepLarge({ dataDir, side, bytes }: LargeInput): Promise<LargeSide> {
  let context: object | undefined = largeContext(bytes);
  const expected = digestOf(context);
  const contextPeakBytes = peak();
  if (side === "json") {
    let text = "";
    const save = await phase(async () => {
      text = JSON.stringify(context);
    });
    context = undefined;
    let parsed: unknown;
    const load = await phase(async () => {
      parsed = JSON.parse(text);
    });
    if (digestOf(parsed as object) !== expected) throw new Error("JSON changed the context.");
    return { contextPeakBytes, save, load };
  }
  const limits = { maxContextBytes: ROOM, maxCheckpointBytes: ROOM, maxKeys: ROOM };
  const library = await openWorkrail({ dataDir, env: {}, limits });
  const save = await phase(() => library.saveCheckpoint({ sessionId: SESSION, context }));
  context = undefined;
  let loaded: object | undefined;
  const load = await phase(async () => {
    loaded = (await library.loadCheckpoint({ sessionId: SESSION })).context;
  });
  await library.close();
  if (digestOf(loaded as object) !== expected) throw new Error("The context did not come back as it was saved.");
  return { contextPeakBytes, save, load };
}

/**
 * Builds a context of parts as agents save them, a megabyte each. ASCII only: a single letter beyond Latin-1 makes V8 use two bytes per
 * letter of the whole text, for every writer.
 */
function largeContext(bytes: number): object {
  const parts = Array.from({ length: bytes / PART_BYTES }, (_, seed): [string, unknown] => {
    const text = JSON.stringify(generateContext(PART_BYTES, seed + 1)).replaceAll(/[^\x20-\x7e]/gu, "x");
    // Otherwise the measurement would include garbage from building the context.
    if (seed % 5 === 0) collectGarbage();
    return [`part ${seed}`, JSON.parse(text)];
  });
  return Object.fromEntries(parts);
}

async function phase(work: () => Promise<unknown>): Promise<LargePhase> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  // The first sample only sets the start of the measurement.
  await sleep(10 * RESOLUTION_MS);
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  // A delay at the end is recorded in the next turn of the loop.
  await sleep(2 * RESOLUTION_MS);
  delay.disable();
  return { ms, stallMs: delay.max / 1e6, peakBytes: peak() };
}

/** Digests entry by entry, so that the check itself needs little memory. */
function digestOf(context: object): string {
  const digests = Object.entries(context).map(([key, value]: [string, unknown]) => key + hash("sha256", JSON.stringify(value)));
  return hash("sha256", digests.join());
}

/** maxRSS is in kilobytes on every platform. */
function peak(): number {
  return process.resourceUsage().maxRSS * 1024;
}
