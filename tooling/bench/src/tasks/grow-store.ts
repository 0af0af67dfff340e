import fs from "node:fs";
import path from "node:path";
import { atStep, generateContext } from "../generate-context.ts";
import { untilQuiet } from "../rest.ts";
import { summarize } from "../statistics.ts";
import { openLibrary } from "./open-library.ts";

export interface GrowthInput {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly bytes: number;
  /** At how many checkpoints to look, ascending. */
  readonly marks: readonly number[];
}

export interface GrowthMark {
  readonly checkpoints: number;
  /** Of the last 100 saves. */
  readonly saveMedianMs: number;
  /** For each checkpoint since the last mark, everything included: what no answer waits for too. */
  readonly allMs: number;
  /** Everything in the data directory, for each checkpoint. */
  readonly bytesEach: number;
  /** The same in blocks of the file system. */
  readonly diskBytesEach: number;
  /** Memory of the process that saved them all. */
  readonly residentBytes: number;
}

const LAST = 100;

/** Fills one session without a pause, and tells what each checkpoint costs as it grows. */
export async function growStore({ dataDir, sessionId, bytes, marks }: GrowthInput): Promise<readonly GrowthMark[]> {
  const library = await openLibrary(dataDir);
  const context = generateContext(bytes, 1);
  const times: number[] = [];
  const grown: GrowthMark[] = [];
  for (const mark of marks) {
    const began = performance.now();
    const before = times.length;
    while (times.length < mark) {
      const started = performance.now();
      await library.saveCheckpoint({ sessionId, context: atStep(context, times.length) });
      times.push(performance.now() - started);
    }
    await untilQuiet();
    const allMs = (performance.now() - began) / (mark - before);
    const { size, onDisk } = sizeOf(dataDir);
    grown.push({
      checkpoints: mark,
      saveMedianMs: summarize(times.slice(-LAST)).median,
      allMs,
      bytesEach: size / mark,
      diskBytesEach: onDisk / mark,
      residentBytes: process.memoryUsage.rss(),
    });
  }
  await library.close();
  return grown;
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
