import { contextOfNotes, goalOf, type JsonObject, NO_NOTES, noteEvents, WorkrailError, type WorkNotes } from "@workrail/core";
import { nodeDigests } from "../environment.ts";
import { messagesOf } from "./conversation-messages.ts";
import type { HookEvent } from "@workrail/host-transcripts";
import type { HookCall } from "./hook-call.ts";
import { type ConversationState, type HookState, NO_CONVERSATION, writeState } from "./hook-state.ts";
import { type IncomingSave, MOST_WAITING_BYTES, newCheckpointId, waitingBytes, writeIncoming } from "./incoming-save.ts";
import { readSince } from "./read-session.ts";
import { withoutSecrets } from "./without-secrets.ts";
import type { HookSettings } from "./hook-settings.ts";

/** A part of a conversation goes on in another session from this many characters on. */
const LARGEST_PART = 8_000_000;

type AboutSave = Omit<IncomingSave, "checkpointId" | "sessionId" | "kind" | "context">;

/** More of a session's save than its state. */
export interface SaveHow {
  /** The model's last words, where the transcript may lack them yet. */
  readonly lastMessage?: string | undefined;
  readonly withConversation: boolean;
}

/**
 * Leaves the session's state for the store, unless that is what was saved last, and what was said since the last time. The state file is
 * written last: after a crash in between, the same is found once more and the store skips it.
 *
 * @returns the checkpoint's id; `undefined` where there is nothing new to save.
 */
export async function saveSession(state: HookState, file: string, call: HookCall, how: SaveHow): Promise<string | undefined> {
  const { settings, ports, places, event } = call;
  if (settings.isReadOnly) return undefined;
  const notes = await withLast(state.notes, how.lastMessage, settings);
  const hasWork = notes.counts.prompts > 0 || notes.counts.calls > 0;
  if (!hasWork || !settings.saves) {
    writeState(file, kept(state, call));
    return undefined;
  }
  const savedAt = ports.now().toISOString();
  const context = contextOfNotes(notes, factsOf(state, notes));
  const digest = nodeDigests.sha256(JSON.stringify(context));
  const about = aboutOf(state, event, savedAt);
  const name = goalOf(context);
  const saves: IncomingSave[] = [];
  const checkpointId = newCheckpointId();
  const isNews = digest !== state.saved?.digest;
  if (isNews) saves.push({ ...about, checkpointId, sessionId: state.sessionId, kind: "workflow", context, ...named(name) });
  const conversation = settings.keepsConversations && how.withConversation ? await talkOf(state, call, { about, topic: name }) : undefined;
  if (conversation?.save !== undefined) saves.push(conversation.save);
  if (settings.isSealed && saves.length > 0) await ports.saveNow(saves);
  else if (saves.length > 0) await leave(saves, places.incoming);
  const saved = isNews ? { turns: 0, saved: { digest, at: savedAt, checkpointId } } : {};
  writeState(file, kept({ ...state, ...saved, conversation: conversation?.state ?? state.conversation }, call));
  return isNews ? checkpointId : undefined;
}

async function leave(saves: readonly IncomingSave[], folder: string): Promise<void> {
  if (waitingBytes(folder) > MOST_WAITING_BYTES) {
    throw new WorkrailError("STORAGE_QUOTA_EXCEEDED", "Too many automatic saves wait for the store.", {
      details: { path: folder, limitBytes: MOST_WAITING_BYTES },
      hint: "Open the store once: workrail status. It says why saves are not taken in.",
    });
  }
  for (const save of saves) await writeIncoming(folder, save);
}

/** A sealed store keeps no notes in clear. */
function kept(state: HookState, { settings }: HookCall): HookState {
  if (!settings.isSealed) return state;
  const { position: _position, ...rest } = state;
  const { position: _read, ...conversation } = state.conversation;
  return { ...rest, notes: NO_NOTES, conversation };
}

/** Claude Code writes its last message into the transcript after the hook. */
async function withLast(notes: WorkNotes, lastMessage: string | undefined, settings: HookSettings): Promise<WorkNotes> {
  if (lastMessage === undefined || lastMessage.trim() === "") return notes;
  const noted = noteEvents(notes, [{ kind: "reply", text: await withoutSecrets(lastMessage, settings) }]);
  return noted.replies.at(-1)?.text === notes.replies.at(-1)?.text ? notes : noted;
}

function factsOf(
  { host, hostSession, isSubagent, continues, conversation, sessionId }: HookState,
  { startedAt, lastAt, counts }: WorkNotes,
): JsonObject {
  return {
    host,
    id: hostSession,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(lastAt === undefined ? {} : { lastAt }),
    prompts: counts.prompts,
    calls: counts.calls,
    conversation: conversationSession(sessionId, conversation.part),
    ...(isSubagent === true ? { isSubagent } : {}),
    ...(continues === undefined ? {} : { continues }),
  };
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

function named(name: string | undefined): Pick<IncomingSave, "name"> {
  return name === undefined ? {} : { name: name.slice(0, LONGEST_NAME).toWellFormed() };
}

const LONGEST_NAME = 120;

function conversationSession(sessionId: string, part: number): string {
  return `${sessionId}-conversation${part === 1 ? "" : `-${part}`}`;
}

interface Talk {
  /** `undefined` where nothing was said since. */
  readonly save?: IncomingSave | undefined;
  readonly state: ConversationState;
}

async function talkOf(
  state: HookState,
  call: HookCall,
  { about, topic }: { readonly about: AboutSave; readonly topic: string | undefined },
): Promise<Talk | undefined> {
  const before = state.conversation;
  const part = await readSince(state, before.position, call);
  if (part === undefined) return undefined;
  const items = messagesOf(await withoutSecrets(part.events, call.settings));
  const isFull = !part.restarted && before.size > LARGEST_PART;
  const base = part.restarted ? NO_CONVERSATION : isFull ? { ...NO_CONVERSATION, part: before.part + 1 } : before;
  const size = base.size + JSON.stringify(items).length;
  const after = { part: base.part, messages: base.messages + items.length, size, position: part.position };
  if (items.length === 0 || (part.restarted && call.settings.isSealed && after.size === before.size)) return { state: after };
  const save: IncomingSave = {
    ...about,
    checkpointId: newCheckpointId(),
    sessionId: conversationSession(state.sessionId, base.part),
    kind: "conversation",
    attributes: { ...about.attributes, conversationOf: state.sessionId },
    context: { topic: topic ?? state.hostSession, format: "messages" },
    messages: { from: base.messages, items },
    ...named(topic),
  };
  return { save, state: after };
}
