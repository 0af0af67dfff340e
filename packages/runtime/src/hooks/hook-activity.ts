import fs from "node:fs";
import { type HookRun, readRuns } from "./hook-log.ts";
import { hookPlaces } from "./hook-places.ts";
import { filesIn } from "./hook-state.ts";
import { MOST_WAITING_BYTES, waitingFiles, REASON } from "./incoming-save.ts";

/** Runs from which times are taken. */
const MOST_TIMED = 100;

/** Runs of one host's hooks, from the log. */
export interface HostActivity {
  readonly host: string;
  readonly events: readonly EventActivity[];
  readonly lastFailure?: FailedRun | undefined;
}

/** Runs of one event. */
export interface EventActivity {
  readonly event: string;
  readonly runs: number;
  /** ISO 8601. */
  readonly lastAt: string;
  /** The last run failed. */
  readonly isFailing: boolean;
  /** Milliseconds of the last 100 runs. */
  readonly medianMs: number;
  readonly worstMs: number;
}

export interface FailedRun {
  readonly event: string;
  /** ISO 8601. */
  readonly at: string;
  readonly error: string;
}

/** Saves of hooks that are not in the store. */
export interface PendingSaves {
  readonly folder: string;
  readonly waiting: number;
  readonly waitingBytes: number;
  /** True when the limit is reached: hooks do not save until the store takes these in. */
  readonly isFull: boolean;
  readonly refusedFolder: string;
  readonly refused: number;
  /** Code and message of the last refusal. */
  readonly lastReason?: string | undefined;
}

/** Reads the log of the hooks; changes nothing. */
export function readHookActivity(dataDir: string): readonly HostActivity[] {
  const byHost = Map.groupBy(readRuns(hookPlaces(dataDir)), ({ host }) => host);
  return [...byHost].map(([host, runs]) => {
    const failed = runs.findLast(({ error }) => error !== undefined);
    const lastFailure = failed === undefined ? {} : { lastFailure: { event: failed.event, at: failed.at, error: failed.error ?? "" } };
    return { host, events: [...Map.groupBy(runs, ({ event }) => event)].map(([event, own]) => activityOf(event, own)), ...lastFailure };
  });
}

function activityOf(event: string, runs: readonly HookRun[]): EventActivity {
  const last = runs.at(-1);
  const times = runs
    .slice(-MOST_TIMED)
    .map(({ ms }) => ms)
    .toSorted((left, right) => left - right);
  return {
    event,
    runs: runs.length,
    lastAt: last?.at ?? "",
    isFailing: last?.error !== undefined,
    medianMs: times[Math.floor((times.length - 1) / 2)] ?? 0,
    worstMs: times.at(-1) ?? 0,
  };
}

/** Reads the waiting and the refused saves; changes nothing. */
export function readPendingSaves(dataDir: string): PendingSaves {
  const { incoming, refused: refusedFolder } = hookPlaces(dataDir);
  const sizes = waitingFiles(incoming).map((file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const waitingBytes = sizes.reduce((sum, size) => sum + size, 0);
  const refused = filesIn(refusedFolder)
    .filter(({ file }) => !file.endsWith(REASON))
    .toSorted((left, right) => left.at - right.at);
  const reason = reasonOf(refused.at(-1)?.file);
  return {
    folder: incoming,
    waiting: sizes.length,
    waitingBytes,
    isFull: waitingBytes > MOST_WAITING_BYTES,
    refusedFolder,
    refused: refused.length,
    ...(reason === undefined ? {} : { lastReason: reason }),
  };
}

/** `undefined` when a crash prevented the reason file. */
function reasonOf(file: string | undefined): string | undefined {
  const reason = `${file}${REASON}`;
  return file === undefined || !fs.existsSync(reason) ? undefined : fs.readFileSync(reason, "utf8").trim();
}
