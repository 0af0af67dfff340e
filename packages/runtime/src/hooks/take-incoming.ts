import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { makeDirectories, nodeFileSystem } from "@workrail/blob-files";
import {
  type CheckpointRecord,
  type Context,
  GIT_STATE,
  gitStateToJson,
  isJsonObject,
  isWorkrailError,
  type JsonObject,
  type JsonValue,
  loadCheckpoint,
  type LoadPorts,
  parseCheckpointId,
  parseSessionId,
  saveCheckpoint,
  type SavePorts,
  type SaveResult,
  type SessionId,
  WorkrailError,
  queryCheckpoints,
  findHead,
  findCheckpoint,
  parseJson,
} from "@workrail/core";
import { LAYERS_OF_NOTES } from "@workrail/views/work-notes";
import { isMissing } from "./names-in.ts";
import { type HookPlaces, hookPlaces, stateFile } from "./hook-places.ts";
import { isErased } from "./forget-sessions.ts";
import { errorText, noteFailure } from "./hook-log.ts";
import { NO_CONVERSATION, readState, writeState } from "./hook-state.ts";
import { CONVERSATION, type IncomingSave, LARGEST_SAVE, REASON, waitingFiles } from "./incoming-save.ts";
import { nameSession } from "../session-resolver.ts";

export type TakeInPorts = SavePorts & LoadPorts;

export interface TakeInResult {
  /** Sessions that were saved to. */
  readonly sessions: readonly SessionId[];
  /** Refused files, now in `incoming/refused`. */
  readonly refused: number;
}

/** Saves an incoming save. @param onGap called when earlier messages are missing in the store. @returns the session if it is new. */
export type SaveIncoming = (save: IncomingSave, onGap: () => void) => Promise<SessionId | undefined>;

/** Returns the way to save incoming saves in a store. */
export function savingTo(ports: TakeInPorts, auditAt?: Date): SaveIncoming {
  return async (save, onGap) => {
    const result = await saveIncoming(ports, save, { onGap, auditAt });
    return result?.status === "saved" ? result.record.sessionId : undefined;
  };
}

/**
 * Saves all incoming saves of the data directory, oldest first. A file is removed once its checkpoint is durable, and a
 * checkpoint is recognised by its id, so a crash in between saves nothing twice. A file that can never be saved is moved to
 * `incoming/refused`, and the next start of a session tells it.
 *
 * @throws temporary errors, such as LOCK_TIMEOUT, STORAGE_UNAVAILABLE and STORAGE_QUOTA_EXCEEDED, after the other sessions are saved. The
 *   files of the failed session stay.
 */
export async function takeIncoming(saveOne: SaveIncoming, dataDir: string): Promise<TakeInResult> {
  const places = hookPlaces(dataDir);
  const sessions = new Set<SessionId>();
  const waiting = new Set<string>();
  let [refused, failure]: [number, unknown] = [0, undefined];
  for (const file of waitingFiles(places.incoming)) {
    let sessionId = "";
    try {
      const save = readIncoming(file);
      // Another process was faster.
      if (save === undefined) continue;
      sessionId = save.sessionId;
      // The saves of a session keep their order.
      if (waiting.has(sessionId)) continue;
      const isWanted = !isErased(places, sessionId);
      const saved = isWanted ? await saveOne(save, () => handOverAgain(places, save.sessionId)) : undefined;
      if (saved !== undefined) sessions.add(saved);
      fs.rmSync(file, { force: true });
    } catch (error) {
      if (mayGoAway(error)) {
        failure ??= error;
        waiting.add(sessionId);
        continue;
      }
      refuse(places, file, { sessionId, error });
      refused += 1;
    }
  }
  if (failure !== undefined) throw failure;
  return { sessions: [...sessions], refused };
}

/** Saves the state that a hook passes directly. @throws as `saveCheckpoint` does. */
export async function saveIncomingNow(ports: TakeInPorts, saves: readonly IncomingSave[]): Promise<readonly SessionId[]> {
  const sessions = new Set<SessionId>();
  for (const save of saves) {
    const saved = await savingTo(ports)(save, () => {});
    if (saved !== undefined) sessions.add(saved);
  }
  return [...sessions];
}

/** Tells whether a save that failed may be saved later. */
export function mayGoAway(error: unknown): boolean {
  if (!isWorkrailError(error)) return MAY_GO_AWAY.has((error as NodeJS.ErrnoException).code ?? "");
  // A checkpoint or session that is too large remains so; a full store may not.
  if (error.code === "STORAGE_QUOTA_EXCEEDED") return error.details["limit"] === "maxTotalBytes";
  return error.retryable || ["STORAGE_UNAVAILABLE", "READ_ONLY", "KEY_UNAVAILABLE"].includes(error.code);
}

/** Error codes of a file that cannot be read now but may be readable later, for example because another process holds it. */
const MAY_GO_AWAY: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EBUSY", "EMFILE", "ENFILE", "EIO", "ENOSPC"]);

/** Tries of a save when other processes save to the same session meanwhile. */
const MOST_TRIES = 5;

interface SaveOptions {
  readonly onGap: () => void;
  /** Time of the save in the audit log. Default: the time of the hook. */
  readonly auditAt: Date | undefined;
}

/** Saves what a hook made of a session. @returns `undefined` for a checkpoint that is in the store. */
async function saveIncoming(ports: TakeInPorts, save: IncomingSave, options: SaveOptions): Promise<SaveResult | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      return await saveOnce(ports, save, options);
    } catch (error) {
      if (!isWorkrailError(error) || error.code !== "CONFLICT" || tries === MOST_TRIES) throw error;
    }
  }
}

async function saveOnce(ports: TakeInPorts, save: IncomingSave, { onGap, auditAt }: SaveOptions): Promise<SaveResult | undefined> {
  const checkpointId = parseCheckpointId(save.checkpointId);
  const sessionId = parseSessionId(save.sessionId);
  const known = await ports.locking.shared(() => findCheckpoint(ports.catalog, checkpointId));
  if (known !== undefined) return undefined;
  const { git } = save;
  const head = await ports.locking.shared(() => findHead(ports.catalog, sessionId));
  const context = save.messages === undefined ? await withOthers(ports, save, head) : await withMessages(ports, save, { sessionId, onGap });
  if (context === undefined) return undefined;
  const createdAt = new Date(save.createdAt);
  // It was saved when the hook ran.
  const timed = { ...ports, clock: { now: () => createdAt } };
  return saveCheckpoint(timed, {
    sessionId,
    checkpointId,
    context,
    auditAt,
    kind: save.kind,
    name: save.name,
    tags: save.tags,
    attributes: save.attributes,
    agentId: save.agentId,
    project: save.project,
    nameSession,
    expectedParentId: head?.id ?? null,
    surroundings: async () => (git === undefined ? {} : { [GIT_STATE]: gitStateToJson(git, save.project) }),
  });
}

/** The state of the work, with entries that an agent saved to the same session: a pack names it, so agents continue in it. */
async function withOthers(ports: TakeInPorts, { context }: IncomingSave, head: CheckpointRecord | undefined): Promise<Context> {
  if (head === undefined) return context;
  try {
    const before = await contextIn(ports, head);
    const isOurs = typeof head.attributes["savedBy"] === "string";
    return { ...othersIn(before), ...(isOurs ? {} : await ofAgentIn(ports, before, head)), ...context };
  } catch (error) {
    // Entries of a damaged checkpoint cannot be carried over.
    if (isWorkrailError(error) && error.code === "CHECKPOINT_CORRUPT") return context;
    throw error;
  }
}

/** Entries with names of notes that an agent changed after a hook's save: they are kept together under `ofAgent`. */
async function ofAgentIn(ports: TakeInPorts, context: Context, { sessionId }: CheckpointRecord): Promise<Context> {
  const { records } = await ports.locking.shared(() =>
    queryCheckpoints(ports.catalog, { filter: { sessionId }, limit: MOST_LOOKED_AT, offset: 0 }),
  );
  const last = records.find(({ attributes, damaged }) => typeof attributes["savedBy"] === "string" && !damaged);
  const before = last === undefined ? {} : await contextIn(ports, last);
  const changed = Object.entries(context).filter(([key, value]) => LAYERS_OF_NOTES.has(key) && !isDeepStrictEqual(value, before[key]));
  const known = isJsonObject(context["ofAgent"] ?? null) ? (context["ofAgent"] as JsonObject) : {};
  return changed.length === 0 ? {} : { ofAgent: { ...known, ...Object.fromEntries(changed) } };
}

function othersIn(context: Context): Context {
  return Object.fromEntries(Object.entries(context).filter(([key]) => !LAYERS_OF_NOTES.has(key)));
}

/**
 * The known messages followed by the new ones; `undefined` when there are no new ones: two hooks can read the same messages at once, and the
 * slower one may have read fewer.
 */
async function withMessages(
  ports: TakeInPorts,
  { context, messages }: IncomingSave,
  { sessionId, onGap }: { readonly sessionId: SessionId; readonly onGap: () => void },
): Promise<Context | undefined> {
  const { from, items } = messages ?? { from: 0, items: [] };
  const known = await messagesIn(ports, sessionId);
  const overlap = known.slice(from, from + items.length);
  if (known.length > 0 && overlap.length === items.length && isDeepStrictEqual(overlap, items)) return undefined;
  if (known.length >= from) return { ...context, conversation: [...known.slice(0, from), ...items] };
  onGap();
  const gap = { role: "system", content: `[${from - known.length} messages are missing here]` };
  return { ...context, conversation: [...known, gap, ...items] };
}

/** Checkpoints of a conversation that are searched for its messages: others may have saved to its session. */
const MOST_LOOKED_AT = 10;

async function messagesIn(ports: TakeInPorts, sessionId: SessionId): Promise<readonly JsonValue[]> {
  const filter = { sessionId, kinds: ["conversation" as const] };
  const { records } = await ports.locking.shared(() => queryCheckpoints(ports.catalog, { filter, limit: MOST_LOOKED_AT, offset: 0 }));
  for (const record of records.filter(({ damaged }) => !damaged)) {
    const { conversation } = await contextIn(ports, record);
    if (Array.isArray(conversation)) return conversation;
  }
  return [];
}

async function contextIn(ports: TakeInPorts, { id }: CheckpointRecord): Promise<Context> {
  return (await loadCheckpoint({ ...ports, onLoaded: () => {} }, { checkpointId: id, sessionId: undefined })).context;
}

/** Makes the next hook of the session save its whole conversation. */
function handOverAgain(places: HookPlaces, sessionId: string, isRefused = false): void {
  const file = stateFile(places, places.sessions, sessionId.replace(CONVERSATION, ""));
  const state = readState(file);
  if (state === undefined) return;
  const refusals = (state.conversation.refusals ?? 0) + (isRefused ? 1 : 0);
  writeState(file, { ...state, conversation: { ...NO_CONVERSATION, refusals } });
}

/** @returns `undefined` for a missing file. @throws INVALID_INPUT for a file that no hook wrote. */
function readIncoming(file: string): IncomingSave | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (!stat.isFile() || stat.size > LARGEST_SAVE) throw notOurs(file);
  try {
    const save = parseJson(fs.readFileSync(file, "utf8"));
    if (isIncoming(save)) return save as unknown as IncomingSave;
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw notOurs(file);
}

/** Tells whether a value has the form of an incoming save. */
export function isIncoming(save: JsonValue): boolean {
  if (!isJsonObject(save) || save["format"] !== "workrail-incoming" || save["version"] !== 1) return false;
  const { createdAt, kind, context, attributes, tags, messages } = save;
  const isTalk =
    isJsonObject(messages ?? null) &&
    Number.isSafeInteger((messages as JsonObject)["from"]) &&
    Array.isArray((messages as JsonObject)["items"]);
  return (
    typeof createdAt === "string" &&
    !Number.isNaN(Date.parse(createdAt)) &&
    isJsonObject(context ?? null) &&
    isJsonObject(attributes ?? null) &&
    Array.isArray(tags) &&
    (kind === "workflow" ? messages === undefined : kind === "conversation" && isTalk)
  );
}

function notOurs(file: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "A file of an incoming save contains no save.", { details: { path: file } });
}

function refuse(places: HookPlaces, file: string, { sessionId, error }: { readonly sessionId: string; readonly error: unknown }): void {
  makeDirectories(places.refused);
  const reason = errorText(error);
  const refused = path.join(places.refused, path.basename(file));
  // The next hook must save the refused messages again, so that the conversation has no gap.
  if (CONVERSATION.test(sessionId)) handOverAgain(places, sessionId, true);
  nodeFileSystem.rename(file, refused);
  fs.writeFileSync(`${refused}${REASON}`, `${reason}\n`, { mode: 0o600 });
  noteFailure(places, { at: new Date().toISOString(), event: "take in", error: reason });
}
