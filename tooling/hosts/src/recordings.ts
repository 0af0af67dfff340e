import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import type { HostName } from "./scenario.ts";

/** The folder of the recordings. */
export const RECORDINGS_FOLDER: URL = new URL("../recordings/", import.meta.url);

/** A recorded session: the transcript that a host wrote up to the cut, and the lines that followed. */
export interface Recording {
  readonly scenario: string;
  readonly host: HostName;
  /** Version of the host. */
  readonly version: string;
  /** File in the folder of the recordings; compressed when it ends in `.gz`. */
  readonly before: string;
  readonly after: string;
  /** Files with the transcripts of sub-agents. */
  readonly subagents?: readonly string[];
  /** Characters before compression. */
  readonly bytes: { readonly before: number; readonly after: number };
}

/** Returns all recordings; none when nothing was recorded yet. */
export async function recordings(): Promise<readonly Recording[]> {
  try {
    return JSON.parse(await readFile(new URL("index.json", RECORDINGS_FOLDER), "utf8")) as readonly Recording[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** The text of one file of a recording. */
export async function recordedText(file: string): Promise<string> {
  const bytes = await readFile(new URL(file, RECORDINGS_FOLDER));
  return (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
}
