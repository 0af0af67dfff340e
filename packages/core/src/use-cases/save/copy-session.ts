import { RecentJson } from "../../json/recent-json.ts";
import { commit } from "../../catalog/rules/commit.ts";
import { ALL } from "../../catalog/reads.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";
import { invalidInput, isWorkrailError } from "../../errors.ts";
import { CHECKPOINT_KINDS, type CheckpointRecord } from "../../model/checkpoint.ts";
import type { Context, JsonObject } from "../../model/context.ts";
import { type CheckpointId, type SessionId, uuidOf } from "../../model/ids.ts";
import { KEEP_TAG } from "../../model/session.ts";
import { ownerOf, recordTag } from "../../model/side-record.ts";
import { type LoadPorts, readOrThrow, sessionNotFound } from "../load/load-checkpoint.ts";
import type { ReadText } from "../load/read-context.ts";
import { eachRecord } from "../remove/view-store.ts";
import { keepingSession } from "./keeping-session.ts";
import { saveCheckpoint } from "./save-checkpoint.ts";
import type { SavePorts } from "./save-input.ts";

export type CopyPorts = SavePorts & LoadPorts;

export interface CopySessionInput {
  readonly from: SessionId;
  /** Session to copy to. Other checkpoints in it stay. */
  readonly to: SessionId;
  /**
   * Returns the id of a copy, the same at each call, and attributes to set; `undefined` leaves the checkpoint out. Default: an id derived
   * from the target session and the old id.
   */
  readonly rename?: ((record: CheckpointRecord) => Renamed | undefined) | undefined;
  readonly agentId?: string | undefined;
}

export interface Renamed {
  readonly id?: CheckpointId | undefined;
  /** Attributes to add or replace. */
  readonly attributes?: JsonObject | undefined;
}

export interface CopiedSession {
  /** The copies that are in the session now, the oldest first. */
  readonly copies: readonly { readonly from: CheckpointId; readonly to: CheckpointId }[];
  /** Number of `copies` that existed before the call. */
  readonly present: number;
}

/** Number of checkpoints that are read together: older ones are deltas against newer ones. */
const TOGETHER = 20;

/**
 * Copies the checkpoints of a session to another session, oldest first, with their exact contexts, labels, times, parents and side records.
 * Then copies the tags and pins of the session. Leaves out side records whose checkpoint was never saved, other asides, handles and the trash.
 * Each copy is durable on its own: repeat an interrupted call, and it skips the copies it already made. Prunes nothing. The audit log gets
 * a row for each copy, and a last row `import` that names the session.
 *
 * @throws INVALID_INPUT, SESSION_NOT_FOUND, CHECKPOINT_CORRUPT for a checkpoint that cannot be read, CONFLICT for an id that is taken, and as
 * `saveCheckpoint`.
 */
export async function copySession(ports: CopyPorts, { from, to, rename, agentId }: CopySessionInput): Promise<CopiedSession> {
  if (from === to) throw invalidInput("to", "A session cannot be copied to itself.", "Name another session.");
  const all = await ports.locking.shared(() => recordsOf(ports, from));
  const renamed = new Map<CheckpointId, Renamed>();
  for (const record of all.filter(({ kind }) => kind !== "aside")) {
    const given = rename === undefined ? {} : rename(record);
    if (given !== undefined) renamed.set(record.id, given);
  }
  const records = all.filter((record) => renamed.has(ownerOf(record) ?? record.id));
  const idOf = (id: CheckpointId): CheckpointId => renamed.get(id)?.id ?? idOfCopy(ports, to, id);
  const session = await findSession(ports.catalog, from);
  if (session === undefined) throw sessionNotFound(from);
  const copies: { readonly from: CheckpointId; readonly to: CheckpointId }[] = [];
  let present = 0;
  for (let start = 0; start < records.length; start += TOGETHER) {
    const some = records.slice(start, start + TOGETHER);
    for (const { record, read } of await readAll(ports, some)) {
      const owner = ownerOf(record);
      const parentId = record.parentId !== null && renamed.has(record.parentId) ? idOf(record.parentId) : record.parentId;
      const attributes = { ...record.attributes, ...renamed.get(record.id)?.attributes };
      const changed = { ...record, parentId, attributes, ...(owner === undefined ? {} : recordsOfCopy(idOf(owner))) };
      const id = owner === undefined ? idOf(record.id) : idOfCopy(ports, to, record.id);
      const isNew = await saveCopy(ports, { ...changed, id, sessionId: to, keep: session.tags.includes(KEEP_TAG) }, read);
      if (owner !== undefined) continue;
      copies.push({ from: record.id, to: id });
      if (!isNew) present += 1;
    }
  }
  await finish(ports, { from, to, tags: session.tags, pins: session.pins, head: copies.at(-1)?.to, agentId });
  return { copies, present };
}

/** Returns the checkpoints to copy, oldest first, and after them their side records, oldest first. */
async function recordsOf({ catalog }: CopyPorts, sessionId: SessionId): Promise<readonly CheckpointRecord[]> {
  const all: CheckpointRecord[] = [];
  for await (const record of eachRecord(catalog, { sessionId, kinds: CHECKPOINT_KINDS })) all.push(record);
  const saved = all.filter(({ kind }) => kind !== "aside").toReversed();
  const ids = new Set(saved.map(({ id }) => id));
  const beside = all.toReversed().flatMap((record) => {
    const owner = ownerOf(record);
    return owner !== undefined && ids.has(owner) ? [record] : [];
  });
  return [...saved, ...beside];
}

/** Reads checkpoints, the newest first, and returns them in the given order. Records removed meanwhile are omitted. */
async function readAll(ports: CopyPorts, records: readonly CheckpointRecord[]) {
  return ports.locking.shared(async () => {
    const known = new Map<CheckpointId, ReadText>();
    const recentJson = new RecentJson();
    const found: { readonly record: CheckpointRecord; readonly read: ReadText }[] = [];
    for (const record of records.toReversed()) {
      try {
        const read = await readOrThrow(ports, record, { known, recentJson });
        known.set(record.id, read);
        found.unshift({ record, read });
      } catch (error) {
        if (!isWorkrailError(error) || error.code !== "CHECKPOINT_NOT_FOUND") throw error;
      }
    }
    return found;
  });
}

function recordsOfCopy(owner: CheckpointId) {
  return { parentId: owner, recordOf: owner, tags: [recordTag(owner)] };
}

/** Returns false when the copy already exists. */
async function saveCopy(
  ports: CopyPorts,
  record: CheckpointRecord & { readonly recordOf?: CheckpointId; readonly keep: boolean },
  read: ReadText,
): Promise<boolean> {
  const { id: checkpointId, createdAt, sessionId, parentId, kind, name, tags, attributes, agentId, workflowId, project, layers } = record;
  const labels = { sessionId, parentId, kind, name, tags, attributes, agentId, workflowId, project, layers };
  const context = (await read.value()) as Context;
  const own: SavePorts = {
    ...ports,
    clock: { now: () => createdAt },
    secrets: undefined,
    limits: { ...ports.limits, maxCheckpoints: ALL },
  };
  const { status } = await saveCheckpoint(record.keep ? keepingSession(own, sessionId) : own, {
    ...labels,
    checkpointId,
    context,
    recordOf: record.recordOf,
    trustParent: true,
    auditAt: ports.clock.now(),
    // Saves a context that equals its predecessor too. An existing copy is recognised by its id.
    force: true,
    reportsDropped: false,
  });
  return status === "saved";
}

interface Finish extends CopySessionInput {
  readonly tags: readonly string[];
  readonly pins: readonly string[];
  readonly head: CheckpointId | undefined;
}

/** Copies the tags and pins of the session, and records an access: its checkpoints have old times. */
async function finish({ catalog, clock, locking }: CopyPorts, { from, to, tags, pins, head, agentId }: Finish): Promise<void> {
  if (head === undefined) return;
  const at = clock.now();
  await locking.inOrder(to, () =>
    catalog.change(
      commit({
        tags: { sessionId: to, add: tags, remove: [] },
        pins: { sessionId: to, pin: pins, release: [] },
        accesses: [{ checkpointId: head, at }],
        audit: [{ at, action: "import", sessionId: to, checkpointId: undefined, agentId, reason: `copy of ${from}` }],
      }),
    ),
  );
}

function idOfCopy({ digests }: Pick<SavePorts, "digests">, to: SessionId, id: CheckpointId): CheckpointId {
  return uuidOf(digests.sha256(JSON.stringify(["copy", to, id]))) as CheckpointId;
}
