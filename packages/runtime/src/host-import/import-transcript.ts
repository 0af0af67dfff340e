import { utimesSync } from "node:fs";
import type { Context, JsonObject } from "@workrail/core";
import { goalOf } from "@workrail/views/handoff-part";
import { contextOfNotes, NO_NOTES, type WorkNotes } from "@workrail/views/work-notes";
import type { FoundTranscript, TranscriptFacts } from "@workrail/host-transcripts";
import { conversationParts } from "../hooks/conversation-parts.ts";
import { sessionIdOf } from "../hooks/hook-call.ts";
import { notesOf } from "../hooks/read-session.ts";
import { isErased } from "../hooks/forget-sessions.ts";
import { hookPlaces, stateFile } from "../hooks/hook-places.ts";
import type { HookSettings } from "../hooks/hook-settings.ts";
import { type ConversationState, type HookState, NO_CONVERSATION, readState, writeState, kept } from "../hooks/hook-state.ts";
import { contextOfSession, conversationSession, digestOfContext, nameOf } from "../hooks/session-context.ts";
import type { ImportTextResult } from "../transfer.ts";
import type { Workrail } from "../workrail.ts";
import { hasSession } from "./known-head.ts";
import { present, type PutSession, putSession, talkSession, workSession } from "./put-session.ts";
import { readWhole, type ReadPiece } from "./read-whole.ts";
import type { TranscriptPlace } from "./transcript-place.ts";

type HostSession = Omit<FoundTranscript, "host"> & { readonly host: "claude-code" | "codex" | "gemini" };

export interface TranscriptToImport {
  readonly transcript: HostSession;
  readonly facts: TranscriptFacts & { readonly sessionId: string };
  readonly place: TranscriptPlace;
  readonly settings: HookSettings;
  /** Only a session that changed after this time. */
  readonly since: Date | undefined;
  readonly dryRun: boolean;
}

/** A transcript after its import. */
export interface ImportedSession {
  readonly sessionId: string;
  readonly name: string | undefined;
  readonly project: string | undefined;
  readonly startedAt: Date;
  readonly lastAt: Date;
  /** The session with the state of the work, and the sessions with its conversation. */
  readonly results: readonly ImportTextResult[];
}

/** Milliseconds for which hooks keep the state of a session. No state is written for older sessions. */
const REMEMBERED_MS = 60 * 24 * 60 * 60 * 1_000;

/**
 * Imports one transcript. The hooks' state of the session is written last, so the next hook continues there;
 * after a crash in between, the next import recognises the saved checkpoints.
 *
 * @returns the reason when the transcript was left out: nothing happened in the session, or nothing since the given time.
 * @throws as `readTranscript` and `importText` do.
 */
export async function importTranscript(
  store: Workrail,
  given: TranscriptToImport,
): Promise<ImportedSession | "empty" | "older" | "erased"> {
  const sessionId = sessionIdOf(given.transcript.host, given.facts.sessionId);
  const places = hookPlaces(given.settings.dataDir);
  if (isErased(places, sessionId)) return "erased";
  const file = stateFile(places, given.place.folder, sessionId);
  const before = readState(file);
  const known = before === undefined ? undefined : await presentSession(store, before, given);
  if (known !== undefined) return known;
  const state = beginning(given, sessionId, before);
  const told = new Telling(store, state, given);
  const earlier = (): WorkNotes | undefined => notesOf(state.continues, places);
  for await (const piece of readWhole(given.transcript, given.settings, earlier)) await told.add(piece);
  if (told.isEmpty) return "empty";
  if (given.since !== undefined && told.lastAt < given.since) return "older";
  const { imported, after } = await told.finish();
  const isRecent = Date.now() - imported.lastAt.getTime() < REMEMBERED_MS;
  if (after !== undefined && isRecent && !given.dryRun) {
    writeState(file, kept(after, given.settings.isSealed));
    // Hooks use the states that changed last.
    utimesSync(file, imported.lastAt, imported.lastAt);
  }
  return imported;
}

/** A session that was completely read and saved before; otherwise `undefined`. */
async function presentSession(
  store: Workrail,
  { sessionId, project, position, conversation, notes, saved }: HookState,
  { transcript, settings, dryRun }: TranscriptToImport,
): Promise<ImportedSession | undefined> {
  const { sizeBytes, modifiedAt } = transcript;
  const keepsTalk = settings.keepsConversations;
  const isRead = position?.offset === sizeBytes && (!keepsTalk || conversation.position?.offset === sizeBytes);
  if (!isRead || saved === undefined) return undefined;
  const talks = keepsTalk && conversation.messages > 0 ? Array.from({ length: conversation.part }, (_, part) => part + 1) : [];
  const sessions = [sessionId, ...talks.map((part) => conversationSession(sessionId, part))];
  for (const each of sessions) if (!(await hasSession(store, each))) return undefined;
  const lastAt = dateOf(notes.lastAt) ?? modifiedAt;
  const name = goalOf(contextOfNotes(notes));
  return {
    sessionId,
    name: name === undefined ? undefined : nameOf(name),
    project,
    startedAt: dateOf(notes.startedAt) ?? lastAt,
    lastAt,
    results: sessions.map((each) => present(each, dryRun)),
  };
}

/** The state before the first read. Keeps the other facts that hooks noted. */
function beginning({ transcript, facts, place }: TranscriptToImport, sessionId: string, known: HookState | undefined): HookState {
  const { cwd, project, git } = place;
  return {
    version: 1,
    host: transcript.host,
    hostSession: facts.sessionId,
    sessionId,
    transcript: transcript.file,
    ...(cwd === undefined ? {} : { cwd }),
    ...(project === undefined ? {} : { project }),
    ...(git === undefined ? {} : { git }),
    notes: NO_NOTES,
    turns: 0,
    conversation: NO_CONVERSATION,
    ...(known?.continues === undefined ? {} : { continues: known.continues }),
    ...(known?.saved === undefined ? {} : { saved: known.saved }),
    ...(known?.endedAt === undefined ? {} : { endedAt: known.endedAt }),
  };
}

/** Collects a session while its transcript is read. Stores each part of the conversation as soon as it is full. */
class Telling {
  readonly #store: Workrail;
  readonly #state: HookState;
  readonly #given: TranscriptToImport;
  readonly #results: PutSession[] = [];
  #notes: WorkNotes = NO_NOTES;
  #conversation: ConversationState = NO_CONVERSATION;
  #messages: JsonObject[] = [];
  #position: ReadPiece["position"] | undefined;

  constructor(store: Workrail, state: HookState, given: TranscriptToImport) {
    this.#store = store;
    this.#state = state;
    this.#given = given;
  }

  get isEmpty(): boolean {
    return this.#notes.counts.prompts === 0 && this.#notes.counts.calls === 0;
  }

  get lastAt(): Date {
    return dateOf(this.#notes.lastAt) ?? this.#given.transcript.modifiedAt;
  }

  async add({ notes, items, position, restarted }: ReadPiece): Promise<void> {
    if (restarted) {
      this.#conversation = NO_CONVERSATION;
      this.#messages = [];
    }
    this.#notes = notes;
    this.#position = position;
    if (!this.#given.settings.keepsConversations) return;
    for (const part of conversationParts(this.#conversation, items)) {
      if (part.after.part !== this.#conversation.part) await this.#putMessages();
      for (const item of part.items) this.#messages.push(item);
      this.#conversation = part.after;
    }
  }

  async finish(): Promise<{ readonly imported: ImportedSession; readonly after: HookState | undefined }> {
    const { lastAt } = this;
    const startedAt = dateOf(this.#notes.startedAt) ?? lastAt;
    await this.#putMessages();
    const context = contextOfSession({ ...this.#state, conversation: this.#conversation }, this.#notes);
    const topic = goalOf(context);
    const name = topic === undefined ? undefined : nameOf(topic);
    const work = await this.#put(workSession(this.#state, context, { name, startedAt, lastAt }));
    const results = [work, ...this.#results];
    const { sessionId, project } = this.#state;
    return {
      imported: { sessionId, name, project, startedAt, lastAt, results: results.map(({ result }) => result) },
      after: results.every(({ isThere }) => isThere) ? this.#after(context, work) : undefined,
    };
  }

  #after(context: Context, { checkpointId, result }: PutSession): HookState {
    const ours = { digest: digestOfContext(context), at: this.lastAt.toISOString(), checkpointId };
    const saved = result.added === 0 && this.#state.saved !== undefined ? this.#state.saved : ours;
    const position = this.#position === undefined ? {} : { position: this.#position };
    return { ...this.#state, notes: this.#notes, saved, ...position, conversation: this.#talkSoFar(position) };
  }

  /** Keeps nothing when the settings turn conversations off. After a change of the settings, the conversation is kept from its beginning. */
  #talkSoFar(position: Pick<ConversationState, "position">): ConversationState {
    return this.#given.settings.keepsConversations ? { ...this.#conversation, ...position } : NO_CONVERSATION;
  }

  async #putMessages(): Promise<void> {
    if (this.#messages.length === 0) return;
    const topic = this.#notes.prompts[0] === undefined ? undefined : goalOf(contextOfSession(this.#state, this.#notes));
    const talk = { part: this.#conversation.part, messages: this.#messages, topic, lastAt: this.lastAt };
    this.#messages = [];
    this.#results.push(await this.#put(talkSession(this.#state, talk)));
  }

  #put(session: Parameters<typeof putSession>[1]): Promise<PutSession> {
    return putSession(this.#store, session, { ...this.#state, dryRun: this.#given.dryRun });
  }
}

function dateOf(text: string | undefined): Date | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : new Date(time);
}
