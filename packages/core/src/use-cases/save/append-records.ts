import { invalidInput } from "../../errors.ts";
import type { JsonObject } from "../../model/context.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import { recordTag, type SideRecord } from "../../model/side-record.ts";
import { decodeUtf8, encodeUtf8 } from "../../json/utf8.ts";
import { findCheckpoint } from "../../catalog/queries/query-checkpoints.ts";
import { checkpointNotFound } from "../load/load-checkpoint.ts";
import { saveCheckpoint } from "./save-checkpoint.ts";
import type { SavePorts } from "./save-input.ts";

/** A side record to append. */
export interface NewSideRecord extends SideRecord {
  /** Keeps an earlier record of this key. Default `false`: the later one counts. */
  readonly ifAbsent?: boolean | undefined;
}

export interface AppendRecordsInput {
  readonly checkpointId: CheckpointId;
  /** Session of a checkpoint that may not be saved yet. Default: the checkpoint must exist. */
  readonly sessionId?: SessionId | undefined;
  /** Project of records whose checkpoint is not saved yet. */
  readonly project?: string | undefined;
  readonly records: readonly NewSideRecord[];
  readonly agentId?: string | undefined;
}

const LONGEST_KEY = 500;

/**
 * Appends side records to a checkpoint, all of them or none, durably before it resolves. They are loaded, moved, removed and erased with
 * the checkpoint. They are no part of its content or of the session's history: never the head, not listed, and not searched.
 *
 * @throws CHECKPOINT_NOT_FOUND; INVALID_INPUT for a key; STORAGE_QUOTA_EXCEEDED, SECRET_FOUND, LOCK_TIMEOUT and STORAGE_UNAVAILABLE as a
 * save.
 */
export async function appendRecords(
  ports: SavePorts,
  { checkpointId, sessionId, project, records, agentId }: AppendRecordsInput,
): Promise<void> {
  for (const { key } of records) checkKey(key);
  const written = records.map(writtenRecord);
  const owner = await ports.locking.shared(() => findCheckpoint(ports.catalog, checkpointId));
  const session = owner?.sessionId ?? sessionId;
  if (session === undefined) throw await checkpointNotFound(ports, checkpointId);
  if (written.length === 0) return;
  await saveCheckpoint(ports, {
    sessionId: session,
    kind: "aside",
    recordOf: checkpointId,
    // A checkpoint that is removed meanwhile must not leave records.
    mustHaveOwner: owner !== undefined,
    parentId: owner?.id ?? null,
    tags: [recordTag(checkpointId)],
    context: { records: written },
    agentId,
    workflowId: owner?.workflowId,
    project: owner === undefined ? project : owner.project,
  });
}

/**
 * Returns the records in effect, in the order in which their keys came.
 *
 * @param contexts contexts that `appendRecords` saved, the oldest first.
 */
export function recordsIn(contexts: readonly JsonObject[]): readonly SideRecord[] {
  const found = new Map<string, Uint8Array>();
  for (const { key, ifAbsent, text, base64 } of contexts.flatMap((context) => context["records"] as readonly JsonObject[])) {
    if (typeof key !== "string" || (ifAbsent === true && found.has(key))) continue;
    found.set(key, typeof text === "string" ? encodeUtf8(text) : fromBase64(base64 as string));
  }
  return [...found].map(([key, bytes]) => ({ key, bytes }));
}

function writtenRecord({ key, bytes, ifAbsent = false }: NewSideRecord): JsonObject {
  return { key, ...(ifAbsent ? { ifAbsent } : {}), ...asText(bytes) };
}

/** Texts stay readable in the file. */
function asText(bytes: Uint8Array): JsonObject {
  try {
    return { text: decodeUtf8(bytes) };
  } catch {
    return { base64: toBase64(bytes) };
  }
}

function checkKey(key: unknown): void {
  if (typeof key === "string" && key !== "" && key.length <= LONGEST_KEY) return;
  throw invalidInput("records", `The key of a record must be a text of 1 to ${LONGEST_KEY} characters.`);
}

/** Web globals that every JavaScript runtime has. */
declare const btoa: (latin1: string) => string;
declare const atob: (base64: string) => string;

/** Bytes turned into one text at a time: arguments of a call are limited. */
const PIECE = 8_192;

function toBase64(bytes: Uint8Array): string {
  let latin1 = "";
  for (let from = 0; from < bytes.length; from += PIECE) latin1 += String.fromCharCode(...bytes.subarray(from, from + PIECE));
  return btoa(latin1);
}

/** @throws a `DOMException` for a text that is no base64. */
function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
