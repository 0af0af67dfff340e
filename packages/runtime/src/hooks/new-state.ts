import { NO_NOTES } from "@workrail/core";
import { type HookCall, hostSessionOf, sessionIdOf } from "./hook-call.ts";
import { type HookState, NO_CONVERSATION } from "./hook-state.ts";

/** What is kept of the session that a hook was called for, before anything was read. */
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

/** Where the session works, as a state keeps it. */
export function whereOf({ cwd, project, git }: HookCall["place"]): Pick<HookState, "cwd" | "project" | "git"> {
  return { ...(cwd === undefined ? {} : { cwd }), ...(project === undefined ? {} : { project }), ...(git === undefined ? {} : { git }) };
}
