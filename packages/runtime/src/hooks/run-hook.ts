import { type HookCall, type HookPorts, hostSessionOf, readCall, sessionIdOf, stateFileOf } from "./hook-call.ts";
import { type HookEvent, type HookHost } from "@workrail/host-transcripts";
import { errorText, type HookRun, logRun, noteFailure } from "./hook-log.ts";
import { type HookState, kept, writeState } from "./hook-state.ts";
import { hookPlaces } from "./hook-places.ts";
import { hookSettings } from "./hook-settings.ts";
import { isErased } from "./forget-sessions.ts";
import { newState, stateOf } from "./new-state.ts";

/** Turns, and milliseconds, after which the end of a turn saves. */
const TURNS = 5;
const PAUSE_MS = 10 * 60 * 1_000;

/** The text that a hook prints, and its error if it failed. */
export interface HookResult {
  readonly output: string;
  readonly error?: unknown;
}

/**
 * Runs one hook of a host. It never rejects: a failure is logged, and the next start of a session reports it.
 *
 * @param given `host` as the command line names it; `input` is the JSON text of the host.
 */
export async function runHook(
  event: HookEvent,
  given: { readonly host: HookHost | undefined; readonly input: string },
  ports: HookPorts,
): Promise<HookResult> {
  const begun = ports.now();
  const about = { at: begun.toISOString(), host: given.host ?? "unknown", event };
  let call: HookCall | undefined;
  try {
    call = await readCall(event, given, ports);
    const done = await run(call);
    log(
      ports,
      { ...about, host: call.host, ms: ports.now().getTime() - begun.getTime(), project: call.place.project, ...done.run },
      { call },
    );
    return { output: done.output };
  } catch (error) {
    log(
      ports,
      { ...about, ...whose(call), ms: ports.now().getTime() - begun.getTime(), error: errorText(error) },
      { call, isFailure: true },
    );
    return { output: "", error };
  }
}

/** `undefined` when the call itself was unreadable. */
function whose(call: HookCall | undefined): Partial<Pick<HookRun, "host" | "project" | "sessionId">> {
  if (call === undefined) return {};
  return { host: call.host, project: call.place.project, sessionId: sessionIdOf(call.host, hostSessionOf(call.payload)) };
}

interface Done {
  readonly output: string;
  readonly run: Pick<HookRun, "sessionId" | "saved" | "packTokens" | "transcriptTokens" | "error">;
}

/** Handles most calls, without loading further modules. */
async function run(call: HookCall): Promise<Done> {
  const { event, payload, host, settings } = call;
  // Claude Code sends events without a type for the agent that compacts.
  const isOwn = payload.agentId === undefined || (payload.agentType ?? "") !== "";
  const saves = settings.saves && !settings.isReadOnly;
  if (!isOwn || (!saves && event !== "session-start")) return { output: "", run: {} };
  if (event === "session-start") {
    const { startSession } = await import("./start-session.ts");
    const { text, error, ...told } = await startSession(call);
    const failure = error === undefined ? {} : { error: errorText(error) };
    return { output: text === "" ? "" : injected(host, text), run: { ...told, ...failure } };
  }
  const sessionId = sessionIdOf(host, hostSessionOf(payload));
  const file = stateFileOf(call, sessionId);
  if (isErased(call.places, sessionId)) return { output: "", run: {} };
  const state = stateOf(newState(call), file);
  // The prompt is in the transcript.
  if (event === "user-prompt" && state.transcript !== undefined) return { output: "", run: { sessionId } };
  if (event === "stop" && state.transcript !== undefined && !isDue(state, call)) {
    writeState(file, kept({ ...state, turns: state.turns + 1 }, settings.isSealed));
    return { output: "", run: { sessionId } };
  }
  const { noteTurn } = await import("./note-turn.ts");
  const { output, saved } = await noteTurn(call, state, { file, isDue: event !== "stop" || isDue(state, call) });
  return { output, run: { sessionId, ...(saved === undefined ? {} : { saved }) } };
}

/** The first turn is saved at once. */
function isDue({ saved, turns }: HookState, { ports }: HookCall): boolean {
  return saved === undefined || turns + 1 >= TURNS || ports.now().getTime() - Date.parse(saved.at) >= PAUSE_MS;
}

/** Formats text for the model as each host expects it. */
function injected(host: HookHost, text: string): string {
  if (host === "opencode") return text;
  if (host === "cursor") return JSON.stringify({ additional_context: text });
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: text } });
}

/** A hook that was ended early. */
export interface FailedHook {
  readonly event: HookEvent;
  readonly host: HookHost | undefined;
  readonly ms: number;
  readonly error: string;
}

/** Hosts whose transcripts are files: the next start of a session reads the rest. */
const CAUGHT_UP: ReadonlySet<string> = new Set<HookHost>(["claude-code", "codex", "gemini", "vscode"]);

/** Logs a hook that reached its deadline. No failure is reported when the next start saves the rest. */
export function logOverdue(overdue: FailedHook, ports: HookPorts): void {
  const { host = "unknown", ...run } = overdue;
  log(ports, { at: ports.now().toISOString(), host, ...run }, { isFailure: !CAUGHT_UP.has(host) });
}

/** Ignores a failure to write the log: it cannot be reported anywhere. */
function log(
  ports: HookPorts,
  run: HookRun,
  { call, isFailure = false }: { readonly call?: HookCall | undefined; readonly isFailure?: boolean },
): void {
  try {
    const { dataDir, isReadOnly, isSealed } = call?.settings ?? ports.settings ?? hookSettings(ports.env);
    if (isReadOnly) return;
    const places = call?.places ?? hookPlaces(dataDir);
    const { project: _project, sessionId: _session, ...numbers } = run;
    logRun(places, isSealed ? numbers : run);
    if (isFailure) noteFailure(places, { at: run.at, event: run.event, error: run.error ?? "" });
  } catch {
    // A full disk, or another user's folder: the hook must not fail its host.
  }
}
