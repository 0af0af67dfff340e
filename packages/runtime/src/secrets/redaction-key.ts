import { randomBytes } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import type { Log } from "@workrail/core";
import { writeNewFile } from "../write-new-file.ts";

/** Its file in the data directory. */
const FILE = "redaction.key";
const KEY = /^[0-9a-f]{64}\n?$/;

interface KeyPlace {
  /** Absent: the store has no place, and the key lives as long as the process. */
  readonly dataDir: string | undefined;
  readonly log: Log;
}

/**
 * The key that names of secrets are made with, in hexadecimal digits: made when it is first needed, the same for all processes
 * that use the store. Where it cannot be kept, it is this process's alone: placeholders are then others after a restart.
 */
export async function redactionKey({ dataDir, log }: KeyPlace): Promise<string> {
  const fresh = randomBytes(32).toString("hex");
  if (dataDir === undefined) return fresh;
  const file = path.join(dataDir, FILE);
  const there = await readKey(file);
  if (there !== undefined) return there;
  try {
    await writeNewFile([file], once(`${fresh}\n`));
    return fresh;
  } catch (error) {
    // Another process may have been faster.
    const theirs = await readKey(file);
    if (theirs !== undefined) return theirs;
    log.warn("placeholders for secrets will be others after a restart: their key cannot be kept", { path: file, error });
    return fresh;
  }
}

async function readKey(file: string): Promise<string | undefined> {
  const text = await fs.readFile(file, "utf8").catch(() => "");
  return KEY.test(text) ? text.trim() : undefined;
}

async function* once(text: string): AsyncGenerator<string, void, undefined> {
  yield text;
}
