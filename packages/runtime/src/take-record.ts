import {
  type CheckpointId,
  type CheckpointRecord,
  commit,
  type Context,
  findHead,
  isWorkrailError,
  KEEP_TAG,
  labellingSession,
  loadCheckpoint,
  type LoadPorts,
  type Log,
  parseCheckpointId,
  saveCheckpoint,
  type SavePorts,
  type SessionLabels,
  uuidOf,
} from "@workrail/core";
import { keepIfThere } from "./keep-if-there.ts";

/** Ports of a store that takes checkpoints of another one. */
export type TakePorts = SavePorts & LoadPorts & { readonly log: Log };

export interface TakenRecord {
  /** The record's own id, unless another checkpoint has it. */
  readonly id: CheckpointId;
  /** False when the store had it already. */
  readonly isNew: boolean;
  /** True when the checkpoint does not continue the session's head, because another process saved meanwhile. */
  readonly isFork: boolean;
  /** The session's head before. */
  readonly head: CheckpointId | undefined;
}

/**
 * Saves a checkpoint of another store with its id, time, parent and labels. Repeating the call changes nothing. The caller takes the
 * checkpoints of a session in their order.
 *
 * @param from ports of the store that has the checkpoint.
 */
export async function takeRecord(to: TakePorts, from: LoadPorts, record: CheckpointRecord): Promise<TakenRecord> {
  const { context } = await loadCheckpoint(from, { checkpointId: record.id });
  return takeCheckpoint(to, record, context);
}

/** The fields of a record that another store takes. */
export type TakenFields = Pick<
  CheckpointRecord,
  "id" | "sessionId" | "parentId" | "createdAt" | "name" | "tags" | "attributes" | "kind" | "agentId" | "workflowId" | "project" | "layers"
> & {
  readonly shieldedUntil?: Date | undefined;
  /** Labels of the session, added in the change that adds the checkpoint. */
  readonly session?: SessionLabels | undefined;
};

/** Like `takeRecord`, for a context that is already loaded. */
export async function takeCheckpoint(to: TakePorts, record: TakenFields, context: Context): Promise<TakenRecord> {
  const { sessionId, parentId } = record;
  const head = await findHead(to.catalog, sessionId);
  const { id, isNew } = await save(to, record, context);
  if (keepsAll(record) && !isNew) await keepIfThere(to, sessionId);
  return { id, isNew, isFork: isNew && record.kind !== "aside" && (head?.id ?? null) !== parentId, head: head?.id };
}

/** Returns the id that a checkpoint gets when its own is taken. Deterministic, so that a repeated call finds it. */
export function idWhenTaken(
  { digests }: Pick<SavePorts, "digests">,
  { sessionId, id }: Pick<CheckpointRecord, "sessionId" | "id">,
): CheckpointId {
  return parseCheckpointId(uuidOf(digests.sha256(JSON.stringify(["taken", sessionId, id]))));
}

function keepsAll({ attributes }: TakenFields): boolean {
  return attributes["retention"] === "all";
}

async function save(to: TakePorts, record: TakenFields, context: Context): Promise<Pick<TakenRecord, "id" | "isNew">> {
  const { id, sessionId, parentId, createdAt, name, tags, attributes, kind, agentId, workflowId, project, layers } = record;
  const { tags: given = [], pins = [] } = record.session ?? {};
  const labels = { tags: keepsAll(record) ? [...given, KEEP_TAG] : given, pins };
  const ports = { ...to, ...labellingSession(to, sessionId, labels), clock: { now: () => createdAt } };
  const input = {
    sessionId,
    context,
    auditAt: to.clock.now(),
    name,
    tags,
    attributes,
    kind,
    agentId,
    workflowId,
    project,
    layers,
    parentId,
    trustParent: true,
    // Saves an unchanged context too. The id identifies a repeated call.
    force: true,
    shieldUntil: record.shieldedUntil,
  };
  try {
    const { status } = await saveCheckpoint(ports, { ...input, checkpointId: id });
    // The checkpoint is on disk already; the handle issued meanwhile must be valid there as well.
    if (status === "unchanged" && record.shieldedUntil !== undefined) {
      await ports.catalog.change(commit({ shields: [{ checkpointId: id, until: record.shieldedUntil }], audit: [] }));
    }
    return { id, isNew: status === "saved" };
  } catch (error) {
    if (!isWorkrailError(error) || error.code !== "CONFLICT") throw error;
    const { status, record: other } = await saveCheckpoint(ports, { ...input, checkpointId: idWhenTaken(ports, record) });
    ports.log.warn("a checkpoint of another store got a new id: another save took its id meanwhile", { id, sessionId, now: other.id });
    return { id: other.id, isNew: status === "saved" };
  }
}
