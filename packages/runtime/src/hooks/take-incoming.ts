import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { makeDirectories } from "@workrail/blob-files";
import {
  type Context,
  GIT_STATE,
  gitStateToJson,
  isJsonObject,
  isWorkrailError,
  type JsonValue,
  type LoadPorts,
  loadCheckpoint,
  parseCheckpointId,
  parseSessionId,
  saveCheckpoint,
  type SavePorts,
  type SaveResult,
  type SessionId,
  WorkrailError,
} from "@workrail/core";
import { isMissing } from "./hook-state.ts";
import { type HookPlaces, hookPlaces } from "./hook-places.ts";
import { noteFailure } from "./hook-log.ts";
import { type IncomingSave, waitingFiles } from "./incoming-save.ts";

export type TakeInPorts = SavePorts & LoadPorts;

/** Larger files are nothing that a hook left. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Ending of the file beside a refused save that says why. */
export const REASON = ".reason";

export interface TakenIn {
  /** Sessions that were saved to. */
  readonly sessions: readonly SessionId[];
  /** Files that were refused, and lie in `incoming/refused` now. */
  readonly refused: number;
}

/**
 * Saves everything that hooks left in the data directory, oldest first. A file is removed once its checkpoint is durable, and a
 * checkpoint is recognised by its id, so a crash in between saves nothing twice. A file that can never be saved is moved to
 * `incoming/refused`, and the next start of a session tells it.
 *
 * @throws what may go away by itself, such as LOCK_TIMEOUT, STORAGE_UNAVAILABLE and STORAGE_QUOTA_EXCEEDED: the files stay.
 */
export async function takeIncoming(ports: TakeInPorts, dataDir: string): Promise<TakenIn> {
  const places = hookPlaces(dataDir);
  const sessions = new Set<SessionId>();
  let refused = 0;
  for (const file of waitingFiles(places.incoming)) {
    try {
      const save = readIncoming(file);
      // Another process was faster.
      if (save === undefined) continue;
      const result = await saveIncoming(ports, save);
      if (result?.status === "saved") sessions.add(result.record.sessionId);
      fs.rmSync(file, { force: true });
    } catch (error) {
      if (!isWorkrailError(error) || mayGoAway(error)) throw error;
      refuse(places, file, error);
      refused += 1;
    }
  }
  return { sessions: [...sessions], refused };
}

/** Saves what a hook hands over. @throws as `saveCheckpoint` does. */
export async function takeThese(ports: TakeInPorts, saves: readonly IncomingSave[]): Promise<readonly SessionId[]> {
  const sessions = new Set<SessionId>();
  for (const save of saves) {
    const result = await saveIncoming(ports, save);
    if (result?.status === "saved") sessions.add(result.record.sessionId);
  }
  return [...sessions];
}

function mayGoAway(error: WorkrailError): boolean {
  return error.retryable || ["STORAGE_QUOTA_EXCEEDED", "STORAGE_UNAVAILABLE", "READ_ONLY", "KEY_UNAVAILABLE"].includes(error.code);
}

/** Saves what a hook made of a session. @returns `undefined` for a checkpoint that is in the store. */
async function saveIncoming(ports: TakeInPorts, save: IncomingSave): Promise<SaveResult | undefined> {
  const checkpointId = parseCheckpointId(save.checkpointId);
  const sessionId = parseSessionId(save.sessionId);
  const known = await ports.locking.shared(() => ports.catalog.find(checkpointId));
  if (known !== undefined) return undefined;
  const { git } = save;
  const context = await contextOf(ports, save, sessionId);
  if (context === undefined) return undefined;
  const createdAt = new Date(save.createdAt);
  // It was saved when the hook ran.
  const timed = { ...ports, clock: { now: () => createdAt } };
  return saveCheckpoint(timed, {
    sessionId,
    checkpointId,
    context,
    kind: save.kind,
    name: save.name,
    tags: save.tags,
    attributes: save.attributes,
    agentId: save.agentId,
    project: save.project,
    nameSession: true,
    surroundings: async () => (git === undefined ? {} : { [GIT_STATE]: gitStateToJson(git, save.project) }),
  });
}

/**
 * The whole state. For a conversation, the messages that are known and those that came since; `undefined` where all are known: two hooks
 * that run at once read the same, and the slower one may have read less.
 */
async function contextOf(ports: TakeInPorts, { context, messages }: IncomingSave, sessionId: SessionId): Promise<Context | undefined> {
  if (messages === undefined) return context;
  const { from, items } = messages;
  const known = await messagesOf(ports, sessionId);
  const overlap = known.slice(from, from + items.length);
  if (known.length > 0 && overlap.length === items.length && isDeepStrictEqual(overlap, items)) return undefined;
  return { ...context, conversation: [...known.slice(0, from), ...items] };
}

async function messagesOf(ports: TakeInPorts, sessionId: SessionId): Promise<readonly JsonValue[]> {
  const head = await ports.locking.shared(() => ports.catalog.head(sessionId));
  if (head === undefined) return [];
  const { context } = await loadCheckpoint({ ...ports, onLoaded: () => {} }, { checkpointId: head.id, sessionId: undefined });
  const { conversation } = context;
  return Array.isArray(conversation) ? conversation : [];
}

/** @returns `undefined` where the file is gone. @throws INVALID_INPUT for a file that no hook wrote. */
function readIncoming(file: string): IncomingSave | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (!stat.isFile() || stat.size > MOST_BYTES) throw notOurs(file);
  try {
    const save = JSON.parse(fs.readFileSync(file, "utf8")) as JsonValue;
    if (isJsonObject(save) && save["format"] === "workrail-incoming" && save["version"] === 1 && isJsonObject(save["context"] ?? null))
      return save as unknown as IncomingSave;
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw notOurs(file);
}

function notOurs(file: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "A file among the incoming saves holds no save.", { details: { path: file } });
}

function refuse(places: HookPlaces, file: string, error: WorkrailError): void {
  makeDirectories(places.refused);
  const reason = `${error.code}: ${error.message}`;
  const refused = path.join(places.refused, path.basename(file));
  fs.renameSync(file, refused);
  fs.writeFileSync(`${refused}${REASON}`, `${reason}\n`, { mode: 0o600 });
  noteFailure(places, { at: new Date().toISOString(), event: "take in", error: reason });
}
