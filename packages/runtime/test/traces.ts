import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { constants, gunzipSync } from "node:zlib";

/** Shorter runs occur by chance. */
const RUN_BYTES = 16;
/** Each run contains a whole block, and a text has far fewer blocks than runs. */
const BLOCK_BYTES = RUN_BYTES / 2;

/** Returns a unique word, of the length that a search index keeps whole. */
export function newWord(): string {
  return Array.from(randomBytes(28), (byte) => String.fromCharCode(97 + (byte % 26))).join("");
}

/** Returns every file below a directory. */
export function filesBelow(directory: string): readonly string[] {
  return fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Returns files and directories that contain a run of 16 bytes of one of the texts, raw, decompressed, or in their names. */
export function tracesOf(directory: string, texts: readonly string[]): readonly string[] {
  const searched = [...new Set(texts)].map((text) => ({ blocks: blocksOf(text), runs: runsOf(text) }));
  const isIn = (content: Buffer): boolean =>
    searched.some(({ blocks, runs }) => blocks.some((block) => content.includes(block)) && runs.some((run) => content.includes(run)));
  const names = fs.readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names
    .map((name) => path.join(directory, name))
    .filter((place, index) => {
      const stats = fs.lstatSync(place);
      const contents = stats.isFile() ? contentsOf(fs.readFileSync(place)) : [];
      return [Buffer.from(names[index] as string), ...contents].some(isIn);
    });
}

function runsOf(text: string): readonly Buffer[] {
  return Array.from({ length: Math.max(0, text.length - RUN_BYTES + 1) }, (_, at) => Buffer.from(text.slice(at, at + RUN_BYTES)));
}

/** Returns the first whole block of each run. */
function blocksOf(text: string): readonly Buffer[] {
  const count = Math.ceil((text.length - RUN_BYTES) / BLOCK_BYTES) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, at) => Buffer.from(text.slice(at * BLOCK_BYTES, (at + 1) * BLOCK_BYTES)));
}

/** Decompresses a truncated file as far as possible. */
function contentsOf(bytes: Buffer): readonly Buffer[] {
  try {
    return [bytes, gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })];
  } catch {
    return [bytes];
  }
}
