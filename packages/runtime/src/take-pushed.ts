import {
  ALL,
  checkTags,
  type CheckpointId,
  type CheckpointKind,
  type CheckpointRecord,
  type Context,
  HANDLE_MS,
  invalidInput,
  isJsonObject,
  isWorkrailError,
  type JsonObject,
  LAYERS,
  type LayerSummary,
  parseCheckpointId,
  parseSessionId,
  type SessionId,
  type SessionLabels,
} from "@workrail/core";
import type {
  FindPushedParams,
  FindPushedResult,
  PushedCheckpoint,
  PushedId,
  PushedState,
  TakenPushed,
  TakePushedParams,
  TakePushedResult,
} from "./pushed-params.ts";
import type { Store } from "./store.ts";
import { idWhenTaken, takeCheckpoint, type TakenFields } from "./take-record.ts";
import { underNewIds } from "./under-new-ids.ts";

const MOST = 1_000;
/** Difference of clocks that is ignored. */
const MOST_SKEW_MS = 24 * 60 * 60 * 1_000;

/** Returns the checkpoints of another store that this one never had. */
export async function findPushed(store: Store, { checkpoints }: FindPushedParams): Promise<FindPushedResult> {
  const { catalog } = store.parts;
  const asked = listOf(checkpoints).map(parseId);
  const idsOf = (each: ParsedId): readonly CheckpointId[] => [each.id, idWhenTaken(store.parts, each)];
  const ids = asked.flatMap(idsOf);
  const { rows } = await catalog.read({ rows: { of: "checkpoints", where: { state: "any", ids }, order: "any", limit: ALL } });
  const there = new Map(rows.map(({ record }) => [record.id, record]));
  const present = asked.map((each) =>
    idsOf(each).find((id) => {
      const other = there.get(id);
      return other !== undefined && isSame(each, other);
    }),
  );
  const removed = await removedOf(store, asked.filter((_, index) => present[index] === undefined).flatMap(idsOf));
  const stateOf = (each: ParsedId, index: number): PushedState =>
    present[index] !== undefined ? "present" : idsOf(each).some((id) => removed.has(id)) ? "removed" : "absent";
  const renamed = asked.flatMap(({ id }, index) => {
    const now = present[index];
    return now === undefined || now === id ? [] : [{ id, now }];
  });
  return { states: asked.map(stateOf), ...(renamed.length === 0 ? {} : { renamed }) };
}

/** Returns the ids that the audit log names as removed. */
async function removedOf({ parts: { catalog } }: Store, ids: readonly CheckpointId[]): Promise<ReadonlySet<CheckpointId | undefined>> {
  if (ids.length === 0) return new Set();
  const { rows } = await catalog.read({ rows: { of: "audit", query: { actions: ["delete", "prune"], checkpointIds: ids } } });
  return new Set(rows.map(({ checkpointId }) => checkpointId));
}

/** Saves checkpoints of another store with their ids, times, parents and labels, within the limits of this one. Repeating it changes nothing. */
export async function takePushed(store: Store, { checkpoints }: TakePushedParams): Promise<TakePushedResult> {
  const waiting = new Set<SessionId>();
  const outcomes: TakenPushed[] = [];
  const changed = new Set<SessionId>();
  const renamed = new Map<string, CheckpointId>();
  const now = store.parts.clock.now();
  const ports = { ...store.loadPorts, ...store.savePorts, log: store.parts.log };
  try {
    for (const given of listOf(checkpoints)) {
      const record = underNewIds(parsePushed(given, now), renamed);
      const { sessionId } = record;
      if (waiting.has(sessionId)) {
        outcomes.push({ status: "waiting" });
        continue;
      }
      try {
        const { id, isNew, head } = await store.withRoom(() => takeCheckpoint(ports, record, given.context as Context));
        const before = isNew ? head : await headBefore(store, sessionId, id);
        if (isNew) changed.add(sessionId);
        if (id !== record.id) renamed.set(record.id, id);
        outcomes.push({ status: isNew ? "taken" : "present", checkpointId: id, ...(before === undefined ? {} : { head: before }) });
      } catch (error) {
        if (!isWorkrailError(error) || error.retryable) throw error;
        if (error.code !== "CHECKPOINT_CORRUPT") waiting.add(sessionId);
        outcomes.push({ status: "refused", error });
      }
    }
  } finally {
    store.requestUpkeep(changed);
  }
  return { outcomes };
}

/** Returns the head before a checkpoint that was taken by a call whose answer was lost. */
async function headBefore({ parts: { catalog } }: Store, sessionId: SessionId, id: CheckpointId): Promise<CheckpointId | undefined> {
  const where = { state: "live", sessionId } as const;
  const { rows } = await catalog.read({ rows: { of: "checkpoints", where, order: "oldest", limit: ALL } });
  const records = rows.map(({ record }) => record).filter((record) => record.kind !== "aside" || record.id === id);
  return records[records.findIndex((record) => record.id === id) - 1]?.id;
}

type ParsedId = Pick<CheckpointRecord, "id" | "sessionId" | "kind" | "createdAt">;

function listOf<T extends object>(given: readonly T[]): readonly T[] {
  const isList =
    Array.isArray(given) &&
    given.length <= MOST &&
    (given as readonly unknown[]).every((each) => typeof each === "object" && each !== null);
  if (isList) return given;
  throw invalidInput("checkpoints", `checkpoints must be a list of at most ${MOST} objects.`, "Push more in several calls.");
}

function parseId({ id, sessionId, kind, createdAt }: PushedId): ParsedId {
  if (!(createdAt instanceof Date) || Number.isNaN(createdAt.getTime()))
    throw invalidInput("createdAt", "createdAt must be a time.", "Give a Date.");
  return { id: parseCheckpointId(id), sessionId: parseSessionId(sessionId), kind: kind as CheckpointKind, createdAt };
}

/** A time to come would keep a checkpoint, or a shield, for longer than the rules of this store. */
function parsePushed(given: PushedCheckpoint, now: Date): TakenFields {
  const { id, sessionId, kind, createdAt } = parseId(given);
  const { parentId, name, tags = [], attributes = {}, agentId, workflowId, project, layers, shieldedUntil } = given;
  const latest = now.getTime() + HANDLE_MS;
  return {
    id,
    sessionId,
    kind,
    createdAt: createdAt.getTime() > now.getTime() + MOST_SKEW_MS ? now : createdAt,
    parentId: parentId === null ? null : parseCheckpointId(parentId, "parentId"),
    name,
    tags,
    attributes: attributes as JsonObject,
    agentId,
    workflowId,
    project,
    layers: isSummary(layers) ? layers : undefined,
    shieldedUntil: shieldedUntil instanceof Date ? new Date(Math.min(shieldedUntil.getTime(), latest)) : undefined,
    session: given.session === undefined ? undefined : parseLabels(given.session),
  };
}

function parseLabels({ tags, pins }: SessionLabels): SessionLabels {
  checkTags(tags, "session.tags");
  if (Array.isArray(pins) && pins.every((key) => typeof key === "string")) return { tags, pins };
  throw invalidInput("session.pins", "session.pins must be a list of keys.", "Give the pinned keys of the session.");
}

function isSummary(given: unknown): given is LayerSummary {
  if (!isJsonObject(given)) return false;
  return Object.entries(given).every(
    ([layer, count]) => LAYERS.includes(layer as (typeof LAYERS)[number]) && Number.isSafeInteger(count) && Number(count) >= 0,
  );
}

/** Tells whether two records with the same id are the same checkpoint. Secrets may have been replaced in one. */
function isSame(record: ParsedId, other: ParsedId): boolean {
  return record.sessionId === other.sessionId && record.kind === other.kind && record.createdAt.getTime() === other.createdAt.getTime();
}
