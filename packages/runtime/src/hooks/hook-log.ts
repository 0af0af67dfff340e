import fs from "node:fs";
import path from "node:path";
import { makeDirectories, nodeFileSystem } from "@workrail/blob-files";
import { isWorkrailError } from "@workrail/core";
import { isMissing } from "./names-in.ts";
import type { HookPlaces } from "./hook-places.ts";

/** One run of a hook: times, numbers, ids and the project. For a sealed store no ids and no project. */
export interface HookRun {
  /** ISO 8601. */
  readonly at: string;
  readonly host: string;
  readonly event: string;
  readonly ms: number;
  readonly project?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The checkpoint of its incoming save. */
  readonly saved?: string | undefined;
  /** Estimated tokens of the printed pack, and of the transcripts that it replaces. */
  readonly packTokens?: number | undefined;
  readonly transcriptTokens?: number | undefined;
  /** Code and message. */
  readonly error?: string | undefined;
}

/** Bytes. A larger file loses its older half. */
const MOST_BYTES = 512 * 1024;

export function logRun({ log }: HookPlaces, run: HookRun): void {
  makeDirectories(path.dirname(log));
  if ((fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) nodeFileSystem.rename(log, `${log}.old`);
  fs.appendFileSync(log, `${JSON.stringify(run)}\n`, { mode: 0o600 });
}

/**
 * Logged runs, oldest first. Unreadable lines are left out: a power cut may have torn one.
 *
 * @param isWanted leaves out lines before they are parsed.
 */
export function readRuns({ log }: Pick<HookPlaces, "log">, isWanted: (line: string) => boolean = () => true): HookRun[] {
  return [`${log}.old`, log].flatMap((file) => textOf(file).split("\n").filter(isWanted).flatMap(parseRun));
}

function parseRun(line: string): HookRun[] {
  try {
    const run = JSON.parse(line) as Partial<HookRun> | null;
    return typeof run?.at === "string" && typeof run.event === "string" ? [run as HookRun] : [];
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

/** Code and message. */
export function errorText(error: unknown): string {
  return isWorkrailError(error) ? `${error.code}: ${error.message}` : String(error);
}

/** A failure that the next start reports. */
export interface UnreportedFailure {
  readonly at: string;
  readonly event: string;
  readonly error: string;
}

const MOST_UNTOLD = 5;

export function noteFailure({ untold }: HookPlaces, failure: UnreportedFailure): void {
  makeDirectories(path.dirname(untold));
  const all = [...readFailures({ untold }), failure].slice(-MOST_UNTOLD);
  fs.writeFileSync(untold, JSON.stringify(all), { mode: 0o600 });
}

export function readFailures({ untold }: Pick<HookPlaces, "untold">): readonly UnreportedFailure[] {
  try {
    const all = JSON.parse(textOf(untold) || "[]") as unknown;
    return Array.isArray(all) ? all.filter(isFailure) : [];
  } catch {
    return [];
  }
}

function isFailure(value: unknown): value is UnreportedFailure {
  const { at, event, error } = (value ?? {}) as Partial<Record<keyof UnreportedFailure, unknown>>;
  return [at, event, error].every((each) => typeof each === "string");
}

export function forgetFailures({ untold }: HookPlaces): void {
  fs.rmSync(untold, { force: true });
}
