import { isWorkrailError } from "@workrail/core";
import { findTranscripts, type FoundTranscript, peekTranscript } from "@workrail/host-transcripts";
import { type HookCall, placeOf, sessionIdOf, stateFileOf } from "./hook-call.ts";
import { type HookState, NO_CONVERSATION, readState } from "./hook-state.ts";
import { isErased } from "./forget-sessions.ts";
import { errorText, noteFailure } from "./hook-log.ts";
import { newState, stateOf, whereOf } from "./new-state.ts";
import { readerOf, readNewEvents } from "./read-session.ts";
import { saveSession } from "./save-session.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Milliseconds. `workrail import` reads older transcripts. */
const LOOKS_BACK_MS = 7 * DAY_MS;
const MOST_TRANSCRIPTS = 20;
/** Milliseconds that stay for writing the pack. */
const RESERVED_MS = 350;

/**
 * Saves unsaved work of earlier sessions of this project: no hook runs when a host is killed or a turn is interrupted, but the
 * transcript is on disk. Stops when the time is up; the next start continues.
 *
 * @returns the sessions that were read, the latest first.
 */
export async function catchUp(start: HookCall): Promise<readonly HookState[]> {
  const call = { ...start, ports: { ...start.ports, msLeft: () => start.ports.msLeft() - RESERVED_MS } };
  const found: HookState[] = [];
  for (const transcript of await otherTranscripts(call)) {
    if (call.ports.msLeft() <= 0) break;
    const state = await catchUpOne(call, transcript).catch((error: unknown) => tellLater(call, error));
    if (state !== undefined) found.push(state);
  }
  return found;
}

/** Logs a transcript that cannot be saved, and continues with the others and the pack. */
function tellLater({ places, ports }: HookCall, error: unknown): undefined {
  // A link to itself, or a folder, is not a transcript.
  if (isWorkrailError(error) && error.code === "INVALID_INPUT") return;
  noteFailure(places, { at: ports.now().toISOString(), event: "session-start", error: errorText(error) });
}

async function otherTranscripts({ host, payload, ports, place }: HookCall): Promise<readonly FoundTranscript[]> {
  const reader = readerOf(host);
  if (reader === undefined) return [];
  const since = new Date(ports.now().getTime() - LOOKS_BACK_MS);
  const where = { home: ports.home, env: ports.env, since, limit: MOST_TRANSCRIPTS };
  const near = reader === "codex" ? {} : { near: payload.transcriptPath };
  const found = await findTranscripts(reader, { ...where, ...near, project: place.cwd });
  return found.filter(({ file }) => file !== payload.transcriptPath);
}

async function catchUpOne(call: HookCall, { host, file, sizeBytes, modifiedAt }: FoundTranscript): Promise<HookState | undefined> {
  const facts = await peekTranscript(host, file);
  if (facts?.sessionId === undefined || facts.isSubagent === true) return undefined;
  const place = facts.cwd === undefined || facts.cwd === call.place.cwd ? call.place : await placeOf(facts.cwd, call.settings, call.places);
  if (place.folder !== call.place.folder) return undefined;
  const sessionId = sessionIdOf(call.host, facts.sessionId);
  if (isErased(call.places, sessionId)) return undefined;
  const stateFile = stateFileOf({ place, places: call.places }, sessionId);
  const known = readState(stateFile);
  const isTold = !call.settings.keepsConversations || known?.conversation.position?.offset === sizeBytes;
  if (known?.position?.offset === sizeBytes && isTold) return undefined;
  // A sealed store keeps no plaintext positions.
  if (call.settings.isSealed && Date.parse(known?.saved?.at ?? "") > modifiedAt.getTime()) return undefined;
  const fresh: HookState = {
    ...newState({ ...call, place }),
    hostSession: facts.sessionId,
    sessionId,
    isSubagent: undefined,
    transcript: file,
    conversation: NO_CONVERSATION,
    ...whereOf(place),
  };
  const own = { ...call, place, payload: { ...call.payload, messages: undefined } };
  const read = await readNewEvents(stateOf(fresh, stateFile), own);
  await saveSession({ state: read.state, file: stateFile }, own, { withConversation: true });
  return read.hasNews ? read.state : undefined;
}
