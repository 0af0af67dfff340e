import { hash } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { generateContext } from "../generate-context.ts";
import { openWorkrail } from "@workrail/runtime";

export interface LargeInput {
  readonly dataDir: string;
  /** `json` writes and parses the context's JSON, and nothing else. */
  readonly side: "json" | "library";
  readonly bytes: number;
}

export interface LargePhase {
  readonly ms: number;
  /** For how long nothing else could run, at most. */
  readonly stallMs: number;
  /** The most memory so far. */
  readonly peakBytes: number;
}

export interface LargeSide {
  /** Node and the context itself, before anything is done with it. */
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

/** Keeps one large context and reads it back, and tells what that took. Throws unless it comes back as it was. */
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
 * Of parts as agents keep them, a megabyte each. In ASCII: with a single letter beyond Latin-1 V8 takes two bytes for each
 * of the whole text, whoever writes it.
 */
function largeContext(bytes: number): object {
  const parts = Array.from({ length: bytes / PART_BYTES }, (_, seed): [string, unknown] => {
    const text = JSON.stringify(generateContext(PART_BYTES, seed + 1)).replaceAll(/[^\x20-\x7e]/gu, "x");
    // Else what is measured is what making it left behind.
    if (seed % 5 === 0) collectGarbage();
    return [`part ${seed}`, JSON.parse(text)];
  });
  return Object.fromEntries(parts);
}

async function phase(work: () => Promise<unknown>): Promise<LargePhase> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  // Its first look is only where it begins to count from.
  await sleep(10 * RESOLUTION_MS);
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  // What held up the loop at the end is noticed with its next turn.
  await sleep(2 * RESOLUTION_MS);
  delay.disable();
  return { ms, stallMs: delay.max / 1e6, peakBytes: peak() };
}

/** Entry by entry, so that the proof itself takes no memory to speak of. */
function digestOf(context: object): string {
  const digests = Object.entries(context).map(([key, value]: [string, unknown]) => key + hash("sha256", JSON.stringify(value)));
  return hash("sha256", digests.join());
}

/** Kilobytes, on every platform. */
function peak(): number {
  return process.resourceUsage().maxRSS * 1024;
}
