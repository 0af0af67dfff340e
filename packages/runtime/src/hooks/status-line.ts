import type { Environment } from "../config/default-data-dir.ts";
import { placeOf, sessionIdOf } from "./hook-call.ts";
import { type HookRun, readFailures, readRuns } from "./hook-log.ts";
import { type HookPlaces, hookPlaces } from "./hook-places.ts";
import { type HookSettings, hookSettings } from "./hook-settings.ts";
import { findState, type HookState, latestStates } from "./hook-state.ts";

/** Input of a status line. */
export interface StatusPorts {
  readonly env: Environment;
  readonly now: () => Date;
  /** The working directory, used without a session. */
  readonly cwd: string;
}

/** The only host that runs a command for its status line. */
const HOST = "claude-code";
const MOST_LOOKED_AT = 20;
const LONGEST_REASON = 40;
/** Results of hooks that always save new work. */
const SAVES_ALL: readonly string[] = ["pre-compact", "session-end"];

/**
 * One short line on the automatic saves of a session. Only the files of the hooks are read, never the store, and nothing is written.
 *
 * @param input the JSON of the host; any other text means the newest session of the working directory's repository.
 */
export async function statusLine(input: string, { env, now, cwd }: StatusPorts): Promise<string> {
  const settings = hookSettings(env);
  if (settings.isReadOnly || !settings.saves) return `workrail: automatic saves are off (${settings.isReadOnly ? "readOnly" : "hookSave"})`;
  const places = hookPlaces(settings.dataDir);
  const named = sessionIn(input);
  const state = named === undefined ? await newestIn(cwd, settings, places) : findState(places, named);
  return `workrail: ${wordsOn({ sessionId: named ?? state?.sessionId, saved: state?.saved }, places, now())}`;
}

function sessionIn(input: string): string | undefined {
  try {
    const payload = JSON.parse(input) as { readonly session_id?: unknown } | null;
    return typeof payload?.session_id === "string" ? sessionIdOf(HOST, payload.session_id) : undefined;
  } catch {
    return undefined;
  }
}

async function newestIn(cwd: string, settings: HookSettings, places: HookPlaces): Promise<HookState | undefined> {
  const { folder } = await placeOf(cwd, settings, places);
  for (const state of latestStates(folder, MOST_LOOKED_AT)) if (state.isSubagent !== true) return state;
  return undefined;
}

interface Shown {
  readonly sessionId: string | undefined;
  readonly saved: HookState["saved"];
}

function wordsOn({ sessionId, saved }: Shown, places: HookPlaces, now: Date): string {
  const runs = readRuns(places, (line) => line.includes('"error":') || (sessionId !== undefined && line.includes(sessionId)));
  const failure = failureSince(saved?.at ?? "", { sessionId, runs, places });
  if (failure !== undefined) return `last save failed (${reasonOf(failure)})`;
  if (saved === undefined) return "nothing saved yet";
  const saves = runs.filter((run) => run.sessionId === sessionId && run.saved !== undefined).length;
  const count = saves === 0 ? "" : ` · ${saves === 1 ? "1 save" : `${saves} saves`}`;
  return `saved ${ago(now.getTime() - Date.parse(saved.at))}${count}`;
}

/** The last failure, unless everything was saved after it. A failure without a session came before the session was known. */
function failureSince(
  savedAt: string,
  { sessionId, runs, places }: { readonly sessionId: string | undefined; readonly runs: readonly HookRun[]; readonly places: HookPlaces },
): string | undefined {
  const own = runs.filter((run) => run.sessionId === sessionId || (run.sessionId === undefined && run.host === HOST));
  const failed = own.filter(({ event, error }) => error !== undefined && event !== "session-start");
  const refused = readFailures(places).filter(({ event }) => event === "take in");
  const [last] = [...failed, ...refused].toSorted((left, right) => right.at.localeCompare(left.at));
  if (last === undefined || last.at <= savedAt) return undefined;
  const isMadeUp = own.some(({ at, event, error }) => error === undefined && SAVES_ALL.includes(event) && at > last.at);
  return isMadeUp ? undefined : last.error;
}

/** The code of a failure, or the beginning of its text. */
function reasonOf(error: string): string {
  const [, code] = /^([A-Z][A-Z_]+):/u.exec(error) ?? [];
  return (
    code ??
    error
      .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
      .slice(0, LONGEST_REASON)
      .toWellFormed()
  );
}

function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`;
}
