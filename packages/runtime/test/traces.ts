import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { constants, gunzipSync } from "node:zlib";

/** Shorter runs occur by chance. */
const RUN_BYTES = 16;
/** A content is searched in blocks, one of which each run contains whole, wherever the run begins. */
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
  const isIn = finderOf([...new Set(texts)]);
  const names = fs.readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names
    .map((name) => path.join(directory, name))
    .filter((place, index) => {
      const stats = fs.lstatSync(place);
      const contents = stats.isFile() ? contentsOf(fs.readFileSync(place)) : [];
      return [Buffer.from(names[index] as string), ...contents].some(isIn);
    });
}

/** Returns a function that finds a run of one of the texts. Stores have thousands of blocks for each run, so a block is looked up first. */
function finderOf(texts: readonly string[]): (content: Buffer) => boolean {
  const runs = texts.flatMap((text) => partsOf(text, RUN_BYTES));
  const beginnings = new Set(texts.flatMap((text) => partsOf(text, BLOCK_BYTES).map((part) => part.readInt32LE())));
  return (content) => {
    for (let at = 0; at + BLOCK_BYTES <= content.length; at += BLOCK_BYTES) {
      if (!beginnings.has(content.readInt32LE(at))) continue;
      const around = content.subarray(Math.max(0, at - BLOCK_BYTES), at + RUN_BYTES);
      if (runs.some((run) => around.includes(run))) return true;
    }
    return false;
  };
}

/** Returns all parts of a length. */
function partsOf(text: string, length: number): readonly Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.max(0, bytes.length - length + 1) }, (_, at) => bytes.subarray(at, at + length));
}

/** Decompresses a truncated file as far as possible. */
function contentsOf(bytes: Buffer): readonly Buffer[] {
  // Failing on other files takes longer than reading them.
  if (bytes.length < 2 || bytes.readUInt16BE() !== GZIP) return [bytes];
  try {
    return [bytes, gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })];
  } catch {
    return [bytes];
  }
}

/** First bytes of a compressed file. */
const GZIP = 0x1f8b;
