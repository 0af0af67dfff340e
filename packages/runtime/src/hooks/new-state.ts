import { NO_NOTES } from "@workrail/views/work-notes";
import { type HookCall, hostSessionOf, sessionIdOf } from "./hook-call.ts";
import { type HookState, NO_CONVERSATION, readState } from "./hook-state.ts";

/** The state of the hook's session before its transcript is read. */
export function newState({ host, payload, place }: HookCall): HookState {
  const hostSession = hostSessionOf(payload);
  return {
    version: 1,
    host,
    hostSession,
    sessionId: sessionIdOf(host, hostSession),
    ...(payload.agentId === undefined ? {} : { isSubagent: true }),
    notes: NO_NOTES,
    turns: 0,
    conversation: NO_CONVERSATION,
    ...transcriptOf(payload.transcriptPath),
    ...whereOf(place),
  };
}

function transcriptOf(transcript: string | undefined): Pick<HookState, "transcript"> {
  return transcript === undefined ? {} : { transcript };
}

/** The stored state, updated from the host's payload: for a sealed store, the stored state has no session and no place. */
export function stateOf(fresh: HookState, file: string): HookState {
  const known = readState(file);
  if (known === undefined) return fresh;
  const { notes: _notes, turns: _turns, conversation: _conversation, ...now } = fresh;
  return { ...known, ...now };
}

/** The place of the session, in the form of a state. */
export function whereOf({ cwd, project, git }: HookCall["place"]): Pick<HookState, "cwd" | "project" | "git"> {
  return { ...(cwd === undefined ? {} : { cwd }), ...(project === undefined ? {} : { project }), ...(git === undefined ? {} : { git }) };
}
