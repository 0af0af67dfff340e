import { WorkrailError } from "../../errors.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { Context } from "../../model/context.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import { readContext, type ReadPorts } from "../load/read-context.ts";
import { findCheckpoint, findHead, queryCheckpoints } from "../../catalog/queries/query-checkpoints.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";

/** Checkpoint that a patch applies to. */
export interface Base {
  readonly record: CheckpointRecord;
  readonly context: Context;
}

export interface BaseInput {
  readonly sessionId: SessionId;
  readonly project?: string | undefined;
  readonly parentId?: CheckpointId | null | undefined;
  readonly expectedParentId?: CheckpointId | null | undefined;
  readonly checkpointId?: CheckpointId | undefined;
}

/**
 * Reads the base of a patch: `parentId`, else `expectedParentId`, else the session's head. A save repeated under its own id gets
 * the base of the first save.
 *
 * @throws SESSION_NOT_FOUND for a session without a checkpoint; CHECKPOINT_NOT_FOUND for an unknown `parentId`;
 * CHECKPOINT_CORRUPT.
 */
export async function findBase(ports: ReadPorts, input: BaseInput): Promise<Base> {
  const { catalog } = ports;
  const head = await findHead(catalog, input.sessionId);
  if (head === undefined || input.expectedParentId === null || input.parentId === null) throw await noBase(catalog, input);
  const record = (await baseOfRepeated(catalog, input)) ?? (await baseNamed(catalog, input)) ?? head;
  const { context } = await readContext(ports, record);
  return { record, context };
}

async function baseOfRepeated(catalog: CatalogPort, { checkpointId }: BaseInput): Promise<CheckpointRecord | undefined> {
  const existing = checkpointId === undefined ? undefined : await findCheckpoint(catalog, checkpointId);
  if (existing === undefined) return undefined;
  const parent = existing.parentId === null ? undefined : await findCheckpoint(catalog, existing.parentId);
  // Applied to its own result, a patch without appended items changes nothing.
  return parent ?? existing;
}

async function baseNamed(catalog: CatalogPort, { parentId, expectedParentId }: BaseInput): Promise<CheckpointRecord | undefined> {
  if (parentId === undefined || parentId === null)
    return typeof expectedParentId === "string" ? findCheckpoint(catalog, expectedParentId) : undefined;
  const parent = await findCheckpoint(catalog, parentId);
  if (parent !== undefined) return parent;
  throw new WorkrailError("CHECKPOINT_NOT_FOUND", `parentId ${parentId} names no checkpoint, so there is nothing to patch.`, {
    details: { checkpointId: parentId, field: "parentId" },
    hint: "List the session's checkpoints, or leave parentId out to patch its latest one.",
  });
}

/** Most sessions listed in the error, latest first. */
const MOST_SESSIONS = 10;

/** Returns the error for a patch without a base. It lists the existing sessions. */
export async function noBase(
  catalog: CatalogPort,
  { sessionId, project }: { readonly sessionId?: SessionId | undefined; readonly project?: string | undefined },
): Promise<WorkrailError> {
  const { records } = await queryCheckpoints(catalog, {
    filter: { project, headsOnly: true, kinds: ["workflow"] },
    limit: MOST_SESSIONS,
    offset: 0,
  });
  const sessions = records.map((record) => record.sessionId);
  const what = sessionId === undefined ? "Which session is to be patched?" : `Session ${sessionId} has no checkpoint to patch.`;
  const there = sessions.length === 0 ? "There is no session yet" : `Sessions: ${sessions.join(", ")}`;
  return new WorkrailError("SESSION_NOT_FOUND", `${what} A patch never starts a session. ${there}.`, {
    details: { ...(sessionId === undefined ? {} : { sessionId }), sessions },
    hint: `${sessions.length === 0 ? "" : "Give the sessionId that you mean, or "}${sessions.length === 0 ? "S" : "s"}end the whole state as context to start one.`,
  });
}
