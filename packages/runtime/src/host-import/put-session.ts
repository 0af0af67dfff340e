import {
  type CheckpointId,
  type Context,
  gitStateToJson,
  GIT_STATE,
  isJsonObject,
  isWorkrailError,
  type JsonObject,
  type JsonValue,
  parseCheckpointId,
  parseSessionId,
  uuidOf,
} from "@workrail/core";
import { nodeDigests } from "../environment.ts";
import { exportForeignSession } from "../export-foreign-session.ts";
import type { HookState } from "../hooks/hook-state.ts";
import { conversationContext, conversationSession, nameOf } from "../hooks/session-context.ts";
import type { ImportTextResult } from "../transfer.ts";
import type { Workrail } from "../workrail.ts";
import { hasMessages, isBeginning, knownHead, type KnownHead, tellsLess } from "./known-head.ts";

/** A session made from a transcript: the state of the work, or a part of the conversation. */
export interface TranscriptSession {
  readonly sessionId: string;
  readonly kind: "workflow" | "conversation";
  readonly context: Context;
  readonly name: string | undefined;
  readonly attributes: JsonObject;
  readonly startedAt: Date;
  readonly lastAt: Date;
}

/** A session after its import. */
export interface PutSession {
  readonly result: ImportTextResult;
  readonly checkpointId: CheckpointId;
  /** True when the store now has the whole session. */
  readonly isThere: boolean;
}

/** The session with the state of the work, in the form that hooks save. */
export function workSession(
  state: HookState,
  context: Context,
  given: { readonly name: string | undefined; readonly startedAt: Date; readonly lastAt: Date },
): TranscriptSession {
  return { ...given, sessionId: state.sessionId, kind: "workflow", context, attributes: attributesOf(state) };
}

/** A session with a part of the conversation, in the form that hooks save. */
export function talkSession(
  state: HookState,
  talk: { readonly part: number; readonly messages: readonly JsonObject[]; readonly topic: string | undefined; readonly lastAt: Date },
): TranscriptSession {
  const { part, messages, topic, lastAt } = talk;
  return {
    sessionId: conversationSession(state.sessionId, part),
    kind: "conversation",
    context: { ...conversationContext(state, topic), conversation: messages },
    name: topic === undefined ? undefined : nameOf(topic),
    attributes: { ...attributesOf(state), conversationOf: state.sessionId },
    startedAt: timeOf(messages[0]) ?? lastAt,
    lastAt: timeOf(messages.findLast((message) => timeOf(message) !== undefined)) ?? lastAt,
  };
}

function attributesOf({ host, hostSession, git, project }: HookState): JsonObject {
  return { host, hostSession, savedBy: "import", ...(git === undefined ? {} : { [GIT_STATE]: gitStateToJson(git, project) }) };
}

function timeOf(message: JsonObject | undefined): Date | undefined {
  const at = message?.["at"];
  const time = typeof at === "string" ? Date.parse(at) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time);
}

/**
 * Saves a session as its latest checkpoint, unless the store has the same or a newer one. The checkpoint's id derives from
 * the session and the content, so the same content is never stored twice.
 *
 * @throws as `importText` does.
 */
export async function putSession(
  store: Workrail,
  session: TranscriptSession,
  { host, project, dryRun }: Pick<HookState, "host" | "project"> & { readonly dryRun: boolean },
): Promise<PutSession> {
  const { sessionId, context, kind, attributes, name, startedAt, lastAt } = session;
  const checkpointId = idOf(session);
  const head = await knownHead(store, sessionId);
  if (head !== undefined && isKnown(head, checkpointId, session))
    return { result: present(sessionId, dryRun), checkpointId, isThere: true };
  // A hook that ran out of time saved less, but at a later time.
  const isMore =
    head !== undefined && (kind === "workflow" ? tellsLess(head.context, context) : isBeginning(head.context, messagesIn(session)));
  const createdAt = isMore && head.createdAt >= lastAt ? new Date(head.createdAt.getTime() + 1) : lastAt;
  const parentId = head === undefined ? null : parseCheckpointId(head.id);
  const checkpoint = { id: checkpointId, parentId, kind, createdAt, context, tags: ["import"], attributes };
  const text = exportForeignSession({
    id: parseSessionId(sessionId),
    createdAt: startedAt,
    writer: host,
    agentId: host,
    ...(project === undefined ? {} : { project }),
    name,
    checkpoints: [checkpoint],
  });
  try {
    const result = await store.importText(text, { onConflict: "newer", dryRun });
    return { result, checkpointId, isThere: result.leftOut === 0 };
  } catch (error) {
    if (!isConflict(error) || !(await isInTrash(store, sessionId, checkpointId))) throw error;
    return { result: { ...present(sessionId, dryRun), present: 0, leftOut: 1 }, checkpointId, isThere: false };
  }
}

function isConflict(error: unknown): boolean {
  return isWorkrailError(error) && error.code === "CONFLICT";
}

/** A user moved this checkpoint to the trash: it stays there until the trash is emptied or the checkpoint is restored. */
async function isInTrash(store: Workrail, sessionId: string, checkpointId: CheckpointId): Promise<boolean> {
  return (await store.listTrash({ sessionId })).some(({ id }) => id === checkpointId);
}

function idOf({ sessionId, context }: TranscriptSession): CheckpointId {
  return parseCheckpointId(uuidOf(nodeDigests.sha256(`${sessionId}\n${JSON.stringify(context)}`)));
}

/** The stored state may hold more, such as the session that it continues; or the session has newer work. */
function isKnown(head: KnownHead, checkpointId: CheckpointId, session: TranscriptSession): boolean {
  if (head.id === checkpointId) return true;
  if (session.kind === "conversation") return hasMessages(head.context, messagesIn(session));
  return isJsonObject(head.context["session"] ?? null) && head.createdAt >= session.lastAt && !tellsLess(head.context, session.context);
}

function messagesIn({ context }: TranscriptSession): readonly JsonValue[] {
  const { conversation } = context;
  return Array.isArray(conversation) ? conversation : [];
}

/** The report for a session that the store already has. */
export function present(sessionId: string, dryRun: boolean): ImportTextResult {
  const id = parseSessionId(sessionId);
  return { dryRun, sessionId: id, exportedSessionId: id, checkpoints: 1, added: 0, present: 1, leftOut: 0, unreadable: [] };
}
