import { WorkrailError } from "@workrail/core";
import { goalOf } from "@workrail/views/handoff-part";
import { noteEvents, type WorkNotes } from "@workrail/views/work-notes";
import { messagesOf } from "./conversation-messages.ts";
import { type ConversationPart, conversationParts } from "./conversation-parts.ts";
import type { HookEvent } from "@workrail/host-transcripts";
import type { HookCall } from "./hook-call.ts";
import { type ConversationState, type HookState, kept, NO_CONVERSATION, writeState } from "./hook-state.ts";
import { isErased } from "./forget-sessions.ts";
import type { HookPlaces } from "./hook-places.ts";
import { type IncomingSave, MOST_WAITING_BYTES, newCheckpointId, waitingBytes, writeIncoming } from "./incoming-save.ts";
import { type ReadPart, readSince } from "./read-session.ts";
import { contextOfSession, conversationContext, conversationSession, digestOfContext, nameOf } from "./session-context.ts";
import { withoutSecrets } from "./without-secrets.ts";
import type { HookSettings } from "./hook-settings.ts";

/** Refusals after which a conversation is not saved any more. */
const MOST_REFUSALS = 2;

type AboutSave = Omit<IncomingSave, "checkpointId" | "sessionId" | "kind" | "context">;

/** Parts of a session's save besides its state. */
export interface SaveOptions {
  /** The model's last words, which the transcript may lack. */
  readonly lastMessage?: string | undefined;
  readonly withConversation: boolean;
}

interface StateFile {
  readonly state: HookState;
  /** File that keeps the state. */
  readonly file: string;
}

/**
 * Writes the session's state as an incoming save if it changed, and then the new messages. The search of a long conversation for secrets may
 * take longer than the host waits, so the state file is written after each of the two. After a crash in between, the next hook repeats the
 * save and the store skips it.
 *
 * @returns the checkpoint's id; `undefined` when there is nothing new to save.
 */
export async function saveSession({ state, file }: StateFile, call: HookCall, options: SaveOptions): Promise<string | undefined> {
  const { settings, ports, event } = call;
  if (settings.isReadOnly) return undefined;
  const notes = await withLast(state.notes, options.lastMessage, settings);
  const hasWork = notes.counts.prompts > 0 || notes.counts.calls > 0;
  // The beginning of a long transcript is not the state of the work.
  if (!hasWork || (state.isBehind === true && event !== "session-end" && event !== "pre-compact")) {
    writeState(file, kept(state, settings.isSealed));
    return undefined;
  }
  const savedAt = ports.now().toISOString();
  const context = contextOfSession(state, notes);
  const digest = digestOfContext(context);
  const about = aboutOf(state, event, savedAt);
  const topic = goalOf(context);
  const checkpointId = newCheckpointId();
  const isNews = digest !== state.saved?.digest;
  const work: IncomingSave = { ...about, checkpointId, sessionId: state.sessionId, kind: "workflow", context, ...named(topic) };
  const saves = isNews ? [work] : [];
  const after = isNews ? { ...state, turns: 0, saved: { digest, at: savedAt, checkpointId } } : state;
  // A sealed store is opened once for both.
  if (!settings.isSealed) await handOver(saves.splice(0), { state: after, file }, call);
  const isTaken = (state.conversation.refusals ?? 0) < MOST_REFUSALS;
  const said = settings.keepsConversations && options.withConversation && isTaken ? saidSince(after, call, { about, topic }) : [];
  for await (const { state: conversation, saves: more } of said) {
    await handOver([...saves.splice(0), ...more], { state: { ...after, conversation }, file }, call);
  }
  if (saves.length > 0) await handOver(saves, { state: after, file }, call);
  return isNews ? checkpointId : undefined;
}

async function handOver(saves: readonly IncomingSave[], { state, file }: StateFile, call: HookCall): Promise<void> {
  const { settings, ports, places } = call;
  if (settings.isSealed && saves.length > 0) await ports.saveNow(saves);
  else if (saves.length > 0) await leave(saves, places);
  writeState(file, kept(state, settings.isSealed));
}

async function leave(saves: readonly IncomingSave[], places: HookPlaces): Promise<void> {
  const folder = places.incoming;
  if (waitingBytes(folder) > MOST_WAITING_BYTES) {
    throw new WorkrailError("STORAGE_QUOTA_EXCEEDED", "Too many automatic saves wait for the store.", {
      details: { path: folder, limitBytes: MOST_WAITING_BYTES },
      hint: "Run `workrail status`: it opens the store and reports why the saves wait.",
    });
  }
  for (const save of saves) if (!isErased(places, save.sessionId)) await writeIncoming(folder, save);
}

/** Claude Code writes its last message into the transcript after the hook. */
async function withLast(notes: WorkNotes, lastMessage: string | undefined, settings: HookSettings): Promise<WorkNotes> {
  if (lastMessage === undefined || lastMessage.trim() === "") return notes;
  const noted = noteEvents(notes, [{ kind: "reply", text: await withoutSecrets(lastMessage, settings) }]);
  return noted.replies.at(-1)?.text === notes.replies.at(-1)?.text ? notes : noted;
}

function aboutOf({ host, hostSession, project, git }: HookState, event: HookEvent, createdAt: string): AboutSave {
  return {
    format: "workrail-incoming",
    version: 1,
    createdAt,
    tags: ["hook"],
    attributes: { host, hostSession, savedBy: event },
    agentId: host,
    ...(project === undefined ? {} : { project }),
    ...(git === undefined ? {} : { git }),
  };
}

function named(topic: string | undefined): Pick<IncomingSave, "name"> {
  return topic === undefined ? {} : { name: nameOf(topic) };
}

interface Talk {
  /** Empty when there are no new messages. */
  readonly saves: readonly IncomingSave[];
  readonly state: ConversationState;
}

interface AboutTalk {
  readonly about: AboutSave;
  readonly topic: string | undefined;
}

/** Milliseconds that a further portion may take. */
const LEAST_MS_FOR_MORE = 400;

/** Yields the new messages since the last save, portion by portion, as long as there is time. */
async function* saidSince(state: HookState, call: HookCall, about: AboutTalk): AsyncGenerator<Talk> {
  let before = state.conversation;
  for (let isPartial = true; isPartial;) {
    const part = await readSince(state, { from: before.position, isFor: "conversation" }, call);
    if (part === undefined) return;
    const talk = await talkOf(state, { part, before, ...about }, call);
    yield talk;
    before = talk.state;
    isPartial = part.isPartial && !call.settings.isSealed && call.ports.msLeft() > LEAST_MS_FOR_MORE;
  }
}

async function talkOf(
  state: HookState,
  { part, before, about, topic }: AboutTalk & { readonly part: ReadPart; readonly before: ConversationState },
  call: HookCall,
): Promise<Talk> {
  const items = messagesOf(await withoutSecrets(part.events, call.settings));
  const parts = conversationParts(part.restarted ? { ...NO_CONVERSATION, refusals: before.refusals } : before, items);
  const { position: _read, ...last } = parts.at(-1)?.after ?? (part.restarted ? NO_CONVERSATION : before);
  const isKnown = part.restarted && call.settings.isSealed && last.part === before.part && last.size === before.size;
  const save = (each: ConversationPart): IncomingSave => ({
    ...about,
    checkpointId: newCheckpointId(),
    sessionId: conversationSession(state.sessionId, each.after.part),
    kind: "conversation",
    attributes: { ...about.attributes, conversationOf: state.sessionId },
    context: conversationContext(state, topic),
    messages: { from: each.from, items: each.items },
    ...named(topic),
  });
  return { saves: isKnown ? [] : parts.map(save), state: { ...last, position: part.position } };
}
