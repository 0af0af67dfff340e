import fs from "node:fs";
import path from "node:path";
import { atStep, generateContext } from "../generate-context.ts";
import { untilQuiet } from "../rest.ts";
import { summarize } from "../statistics.ts";
import type { Workrail } from "@workrail/runtime";
import { openLibrary } from "./open-library.ts";

export interface GrowthInput {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly bytes: number;
  /** Numbers of checkpoints at which to measure, ascending. */
  readonly marks: readonly number[];
}

export interface GrowthMark {
  readonly checkpoints: number;
  /** Median of the last 100 saves. */
  readonly saveMedianMs: number;
  /** Milliseconds per checkpoint since the last mark, including background work. */
  readonly allMs: number;
  /** Bytes of the data directory per checkpoint. */
  readonly bytesEach: number;
  /** The same in blocks of the file system. */
  readonly diskBytesEach: number;
  /** Loads by id after compaction: of the newest checkpoint, the oldest, and the slowest of fifty between them. */
  readonly latestLoadMs: number;
  readonly oldestLoadMs: number;
  readonly slowestLoadMs: number;
  /** Memory of the process that made all saves. */
  readonly residentBytes: number;
}

const LAST = 100;
/** Places measured, evenly between the oldest and the newest checkpoint. */
const PLACES = 50;
const LOADS_EACH = 9;

/** Fills one session without a pause, and measures the cost per checkpoint as it grows. */
export async function growStore({ dataDir, sessionId, bytes, marks }: GrowthInput): Promise<readonly GrowthMark[]> {
  const library = await openLibrary(dataDir);
  const context = generateContext(bytes, 1);
  const times: number[] = [];
  const ids: string[] = [];
  const grown: GrowthMark[] = [];
  for (const mark of marks) {
    const began = performance.now();
    const before = times.length;
    while (times.length < mark) {
      const started = performance.now();
      ids.push((await library.saveCheckpoint({ sessionId, context: atStep(context, times.length) })).checkpointId);
      times.push(performance.now() - started);
    }
    await untilQuiet();
    const allMs = (performance.now() - began) / (mark - before);
    const { size, onDisk } = sizeOf(dataDir);
    const loads = await loadTimes(library, ids);
    grown.push({
      checkpoints: mark,
      saveMedianMs: summarize(times.slice(-LAST)).median,
      allMs,
      bytesEach: size / mark,
      diskBytesEach: onDisk / mark,
      ...loads,
      residentBytes: process.memoryUsage.rss(),
    });
  }
  await library.close();
  return grown;
}

/** Returns medians of consecutive loads, so that the files are in memory in every case. */
async function loadTimes(
  library: Workrail,
  ids: readonly string[],
): Promise<Pick<GrowthMark, "latestLoadMs" | "oldestLoadMs" | "slowestLoadMs">> {
  const medianOf = async (id: string): Promise<number> => {
    const times: number[] = [];
    for (let load = 0; load < LOADS_EACH; load++) {
      const started = performance.now();
      await library.loadCheckpoint({ checkpointId: id });
      times.push(performance.now() - started);
    }
    return summarize(times).median;
  };
  // Newest first, so that the cost of a first run does not count for the old ones.
  const medians: number[] = [];
  for (let place = PLACES - 1; place >= 0; place--)
    medians.push(await medianOf(ids[Math.round((place * (ids.length - 1)) / (PLACES - 1))] as string));
  return { latestLoadMs: medians[0] as number, oldestLoadMs: medians.at(-1) as number, slowestLoadMs: Math.max(...medians) };
}

function sizeOf(directory: string): { readonly size: number; readonly onDisk: number } {
  let size = 0;
  let onDisk = 0;
  for (const entry of fs.readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const stats = fs.lstatSync(path.join(entry.parentPath, entry.name));
    if (stats.isFile()) size += stats.size;
    onDisk += stats.blocks * 512;
  }
  return { size, onDisk };
}
