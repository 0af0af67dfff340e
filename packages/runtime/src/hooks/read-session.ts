import { continuedNotes, NO_NOTES, noteEvents, type WorkNotes } from "@workrail/views/work-notes";
import {
  type HookHost,
  readOpencodeMessages,
  readTranscript,
  type TranscriptHost,
  type TranscriptPart,
  type TranscriptPosition,
} from "@workrail/host-transcripts";
import type { HookCall } from "./hook-call.ts";
import type { HookPlaces } from "./hook-places.ts";
import { findState, type HookState } from "./hook-state.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** A session after new lines of its transcript were read. */
export interface ReadSession {
  readonly state: HookState;
  /** Something happened since the last reading. */
  readonly hasNews: boolean;
}

/** Hosts whose transcript files are read here. VS Code writes the format of Claude Code. */
const READ_AS: Readonly<Partial<Record<HookHost, TranscriptHost>>> = {
  "claude-code": "claude-code",
  vscode: "claude-code",
  codex: "codex",
  gemini: "gemini",
};

export function readerOf(host: HookHost): TranscriptHost | undefined {
  return READ_AS[host];
}

/** Notes the events since the last reading. A long transcript is read in portions, as many as the time allows. */
export async function readNewEvents(before: HookState, call: HookCall): Promise<ReadSession> {
  let read = await readPortion(before, call);
  while (read.state.isBehind === true && !call.settings.isSealed && call.ports.msLeft() > LEAST_MS) {
    const more = await readPortion(read.state, call);
    read = { state: more.state, hasNews: read.hasNews || more.hasNews };
  }
  return read;
}

/** Milliseconds. With less time left, no further portion is begun. */
const LEAST_MS = 500;

async function readPortion(state: HookState, call: HookCall): Promise<ReadSession> {
  const part = await readSince(state, { from: state.position, isFor: "notes" }, call);
  if (part === undefined) return { state, hasNews: false };
  // Redacted first, because notes cut texts, and half a secret is not recognised.
  const events = await withoutSecrets(part.events, call.settings);
  const own = part.restarted ? NO_NOTES : state.notes;
  const notes = noteEvents(
    continuedNotes(own, events, () => notesOf(state.continues, call.places)),
    events,
  );
  const position = part.position === undefined ? {} : { position: part.position };
  return { state: { ...state, notes, ...position, isBehind: part.isPartial }, hasNews: events.length > 0 };
}

/** Notes of an earlier session; `undefined` when they are gone. A sealed store has none. */
export function notesOf(sessionId: string | undefined, places: HookPlaces): WorkNotes | undefined {
  return sessionId === undefined ? undefined : findState(places, sessionId)?.notes;
}

/**
 * Limits of one reading: a share of the remaining time, and bytes. The search for secrets afterwards takes several times as long. The next call
 * reads the rest.
 */
const PORTIONS: Readonly<Record<Purpose, { readonly share: number; readonly maxBytes: number }>> = {
  notes: { share: 0.25, maxBytes: 8 * 1024 * 1024 },
  conversation: { share: 0.25, maxBytes: 4 * 1024 * 1024 },
};

/** A transcript is read for the notes of its session, and once more for the conversation. */
type Purpose = "notes" | "conversation";

/** A part of a transcript. */
export type ReadPart = Omit<TranscriptPart, "position" | "facts"> & Partial<Pick<TranscriptPart, "position">>;

/** Events after a position; `undefined` without a transcript. */
export async function readSince(
  { host, transcript }: HookState,
  { from, isFor }: { readonly from: TranscriptPosition | undefined; readonly isFor: Purpose },
  { settings, ports, payload: { messages } }: HookCall,
): Promise<ReadPart | undefined> {
  // Its plugin sends all messages.
  if (host === "opencode" && messages !== undefined) return { events: readOpencodeMessages(messages), restarted: true, isPartial: false };
  const reader = readerOf(host);
  if (transcript === undefined || reader === undefined) return undefined;
  const { share, maxBytes } = PORTIONS[isFor];
  const deadlineMs = Date.now() + ports.msLeft() * share;
  // A sealed store keeps no position, so the next call cannot continue.
  return readTranscript(reader, transcript, settings.isSealed ? { deadlineMs } : { from, deadlineMs, maxBytes });
}
