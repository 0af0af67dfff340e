import type { TranscriptEvent } from "@workrail/core";
import { noteEvents } from "@workrail/views/work-notes";
import type { HookCall } from "./hook-call.ts";
import { type HookState, writeState } from "./hook-state.ts";
import { keepVerbatim } from "./keep-verbatim.ts";
import { readNewEvents } from "./read-session.ts";
import { saveSession } from "./save-session.ts";
import { withoutSecrets } from "./without-secrets.ts";

export interface NotedTurn {
  /** For the host's summariser. */
  readonly output: string;
  readonly saved?: string | undefined;
}

/** Notes the new events from the transcript, or from the payload of a host without one. Saves if a save is due. */
export async function noteTurn(
  call: HookCall,
  before: HookState,
  { file, isDue }: { readonly file: string; readonly isDue: boolean },
): Promise<NotedTurn> {
  const { event, host, payload, settings } = call;
  const state = before.transcript === undefined ? await withSent(before, call) : before;
  if (event === "user-prompt" || !isDue) {
    if (!settings.isSealed) writeState(file, { ...state, turns: state.turns + (event === "stop" ? 1 : 0) });
    return { output: "" };
  }
  const read = await readNewEvents(state, call);
  const saved = await saveSession({ state: read.state, file }, call, {
    lastMessage: payload.lastAssistantMessage,
    withConversation: event !== "stop",
  });
  return { output: event === "pre-compact" && host === "claude-code" ? keepVerbatim(read.state.notes) : "", saved };
}

async function withSent(state: HookState, { payload, settings }: HookCall): Promise<HookState> {
  const { prompt, lastAssistantMessage } = payload;
  const events: TranscriptEvent[] = [
    ...(prompt === undefined ? [] : [{ kind: "prompt" as const, text: prompt }]),
    ...(lastAssistantMessage === undefined ? [] : [{ kind: "reply" as const, text: lastAssistantMessage }]),
  ];
  return { ...state, notes: noteEvents(state.notes, await withoutSecrets(events, settings)) };
}
