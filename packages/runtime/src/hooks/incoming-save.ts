import fs from "node:fs";
import path from "node:path";
import { makeDirectories, nodeFileSystem, randomUuid, writeDurably } from "@workrail/blob-files";
import type { Context, GitState, JsonObject } from "@workrail/core";
import { hookPlaces } from "./hook-places.ts";
import { isMissing, namesIn } from "./names-in.ts";

/** An incoming save of a hook: durable, without secrets. The next opening of the store saves it. */
export interface IncomingSave {
  readonly format: "workrail-incoming";
  readonly version: 1;
  readonly checkpointId: string;
  readonly sessionId: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly kind: "workflow" | "conversation";
  /** The whole context; for a conversation the context without its messages. */
  readonly context: Context;
  /** Messages to append after the first `from` messages of the session's latest checkpoint. */
  readonly messages?: { readonly from: number; readonly items: readonly JsonObject[] } | undefined;
  readonly name?: string | undefined;
  readonly tags: readonly string[];
  readonly attributes: JsonObject;
  readonly agentId: string;
  readonly project?: string | undefined;
  readonly git?: GitState | undefined;
}

/** Bytes. Larger files do not come from a hook. */
export const LARGEST_SAVE: number = 64 * 1024 * 1024;

/** Limit in bytes of all incoming saves. Hooks write no more than this. */
export const MOST_WAITING_BYTES: number = 64 * 1024 * 1024;

export function newCheckpointId(): string {
  return randomUuid();
}

/**
 * Writes a save durably. The file name begins with the time, or with a time after the last waiting save, so that the store keeps the order of saves.
 */
export async function writeIncoming(folder: string, save: IncomingSave): Promise<string> {
  makeDirectories(folder);
  const last = path.basename(waitingFiles(folder).at(-1) ?? "").slice(0, TIME_DIGITS);
  const time = Math.max(Date.parse(save.createdAt), Number(last) + 1);
  const file = path.join(folder, `${String(time).padStart(TIME_DIGITS, "0")}-${save.checkpointId}.json`);
  await writeDurably(nodeFileSystem, file, { bytes: Buffer.from(JSON.stringify(save)), mode: "new" });
  return file;
}

const TIME_DIGITS = 15;

/** Waiting files, oldest first. */
export function waitingFiles(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => /^\d{15}-[\w-]+\.json$/u.test(name))
    .toSorted()
    .map((name) => path.join(folder, name));
}

export function waitingBytes(folder: string): number {
  return waitingFiles(folder).reduce((sum, file) => sum + (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** Names of the incoming saves, joined in one text. Reads one folder, which is mostly empty. */
export function waitingNames(dataDir: string): string {
  return waitingFiles(hookPlaces(dataDir).incoming).join("\n");
}

/** The same, but empty for an unreadable folder, which is reported elsewhere. */
export function waitingIfReadable(dataDir: string): string {
  try {
    return waitingNames(dataDir);
  } catch {
    return "";
  }
}

/** Suffix of the file with the reason beside a refused save. */
export const REASON = ".reason";

/** The session of a save; `undefined` when the file has none. */
export function sessionIn(file: string): string | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size > LARGEST_SAVE) return undefined;
  try {
    const { sessionId } = JSON.parse(fs.readFileSync(file, "utf8")) as Partial<IncomingSave>;
    return typeof sessionId === "string" ? sessionId : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || isMissing(error)) return undefined;
    throw error;
  }
}

/** Suffix that turns the id of a work session into that of its conversation. */
export const CONVERSATION: RegExp = /-conversation(?:-\d+)?$/u;
