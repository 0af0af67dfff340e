import {
  appendRecords,
  CHECKPOINT_KINDS,
  type CheckpointId,
  droppedSince,
  ERRORS_OF_ONE,
  invalidInput,
  isJsonObject,
  isWorkrailError,
  listCheckpoints,
  type ListInput,
  loadCheckpoint,
  loadTexts,
  type NewSideRecord,
  type PageCursor,
  parseCheckpointId,
  parseSessionId,
  pinEntry,
} from "@workrail/core";
import type {
  CheckpointMetadata,
  EachCheckpointParams,
  FindCheckpointsParams,
  FindCheckpointsResult,
  LoadCheckpointParams,
  LoadCheckpointResult,
  LoadCheckpointsResult,
  MarkCriticalParams,
  MarkCriticalResult,
} from "../context-management-service.ts";
import { refuseChosenId } from "../admitted.ts";
import { checkFilter, metadataOf, sessionMetadataOf } from "../metadata.ts";
import { optional } from "../check-params.ts";
import { parsePeriod } from "../parse-time.ts";
import { resolveReference } from "../resolve-reference.ts";
import type { Store } from "../store.ts";
import { droppedFields } from "../change-fields.ts";
import type { Checkpoints } from "../workrail.ts";
import { type Facet, MAYBE_PARAMS, PARAMS } from "./operation.ts";
import { save, withoutSecrets } from "./save.ts";

const LONGEST_KEY = 100;
const MOST_IDS = 1_000;
const PAGE = 100;

/** Saves, finds and loads checkpoints. */
export const checkpoints: Facet<Checkpoints> = {
  saveCheckpoint: {
    remote: "repeatable",
    needs: "own way",
    changes: true,
    params: PARAMS,
    runs: "alone",
    async run(store, params) {
      if (store.caller !== undefined) refuseChosenId(params);
      return save(store, params);
    },
  },
  loadCheckpoint: {
    needs: "read",
    params: PARAMS,
    run: load,
  },
  loadCheckpoints: {
    needs: "read",
    params: PARAMS,
    async run(store, { ids, isPeek }) {
      const result: LoadCheckpointsResult = { checkpoints: [], failed: [] };
      for (const checkpointId of parseIds(ids)) {
        try {
          result.checkpoints.push(await load(store, { checkpointId, isPeek }));
        } catch (error) {
          if (!isWorkrailError(error) || !ERRORS_OF_ONE.has(error.code)) throw error;
          result.failed.push({ checkpointId, error });
        }
      }
      return result;
    },
  },
  loadTexts: {
    needs: "read",
    params: PARAMS,
    async run(store, { ids, withRecords }) {
      const { loaded, failed } = await loadTexts(store.loadPorts, parseIds(ids), withRecords);
      return {
        checkpoints: loaded.map(({ record, text, records }) => ({
          checkpointId: record.id,
          sessionId: record.sessionId,
          text,
          metadata: metadataOf(record),
          ...(withRecords === true ? { records: [...records] } : {}),
        })),
        failed: failed.map(({ id: checkpointId, error }) => ({ checkpointId, error })),
        ...store.standing(),
      };
    },
  },
  appendRecords: {
    needs: "disk",
    changes: true,
    params: PARAMS,
    async run(store, { checkpointId, sessionId, records, agentId, secrets }) {
      const session = optional(sessionId, (id) => parseSessionId(id));
      const { project } = store;
      const input = { checkpointId: parseCheckpointId(checkpointId), sessionId: session, project, records: parseRecords(records), agentId };
      const ports = secrets === undefined ? store.savePorts : withoutSecrets(store.savePorts, secrets);
      await store.housekeeper.withRoom(() => appendRecords(ports, input));
    },
  },
  listCheckpoints: {
    needs: "read",
    params: PARAMS,
    run: async (store, params) => (await find(store, params)).checkpoints,
  },
  findCheckpoints: { needs: "read", params: MAYBE_PARAMS, run: find },
  eachCheckpoint: {
    needs: "read",
    params: { at: 0, isOptional: true, called: "filter" },
    runs: "stream",
    run: each,
  },
  resolveCheckpoint: {
    needs: "read",
    params: { at: 1, isOptional: true, called: "params" },
    async run(store, reference, params) {
      const { id, sessionId } = await resolveReference(store, reference, params);
      return { checkpointId: id, sessionId };
    },
  },
  searchCheckpoints: {
    needs: "read",
    params: PARAMS,
    run: async (store, params) => ({ ...(await store.search.search(params, store.scopeOf(params))), ...store.standing() }),
  },
  compareCheckpoints: {
    needs: "read",
    params: PARAMS,
    async run(store, params) {
      const { compareCheckpointsFor } = await import("../on-demand/viewing.ts");
      // A comparison is not a use of a checkpoint: it must not put off its removal.
      return compareCheckpointsFor({ ...store.portsOf({ isPeek: true }), tokens: store.parts.tokens }, store.rules, params);
    },
  },
  markCritical: { remote: "repeatable", needs: "own way", changes: true, params: PARAMS, runs: "alone", run: markCritical },
};

function parseIds(ids: unknown): readonly CheckpointId[] {
  if (Array.isArray(ids) && ids.length <= MOST_IDS) return [...new Set(ids.map((id) => parseCheckpointId(id, "ids")))];
  throw invalidInput("ids", `ids must be a list of at most ${MOST_IDS} ids.`, "Load more in several calls.");
}

/** Copies the bytes, because the caller may change them before they are written. */
function parseRecords(records: unknown): readonly NewSideRecord[] {
  const isList =
    Array.isArray(records) &&
    records.every((each: unknown) => isJsonObject(each) && (each as { bytes?: unknown }).bytes instanceof Uint8Array);
  if (!isList) throw invalidInput("records", "records must be a list of { key, bytes }.", "Give the bytes as a Uint8Array.");
  return (records as readonly NewSideRecord[]).map((each) => ({ ...each, bytes: Uint8Array.from(each.bytes) }));
}

async function load(store: Store, params: LoadCheckpointParams): Promise<LoadCheckpointResult> {
  await store.refuseOtherProject(params.sessionId);
  const isPeek = params.isPeek === true;
  const ports = store.portsOf(params);
  const { record, context, fellBackFrom, session } = await loadCheckpoint(ports, {
    checkpointId: optional(params.checkpointId, (id) => parseCheckpointId(id)),
    sessionId: optional(params.sessionId, (id) => parseSessionId(id)),
  });
  const warning = isPeek ? undefined : await store.otherProject(record);
  return {
    checkpointId: record.id,
    sessionId: record.sessionId,
    metadata: metadataOf(record, session?.pins),
    ...store.standing(record.id),
    ...droppedFields(await droppedSince(ports, { record, context, session })),
    ...(fellBackFrom.length === 0 ? {} : { fellBackFrom }),
    ...(warning === undefined ? {} : { warning }),
    context,
  };
}

/** Pages by the place of the last checkpoint. Each page waits for a lost catalog to be recovered, as one call does. */
async function* each(store: Store, params: EachCheckpointParams = {}): AsyncGenerator<CheckpointMetadata, void, undefined> {
  const input = await inputOf(store, params);
  let after: PageCursor | undefined;
  do {
    const page = await store.using(() => listCheckpoints(store.parts, { ...input, limit: PAGE, after }));
    for (const record of page.records) yield metadataOf(record, page.session?.pins);
    after = page.next;
  } while (after !== undefined);
}

/** Parses the filters of a listing. @throws INVALID_INPUT */
async function inputOf(store: Store, params: FindCheckpointsParams): Promise<ListInput> {
  const { kind, since, until, sessionId, project, worktrees, ...filter } = params;
  if (params.attributes !== undefined) checkFilter(params.attributes);
  if (kind !== undefined && !CHECKPOINT_KINDS.includes(kind))
    throw invalidInput("kind", `kind must be one of ${CHECKPOINT_KINDS.join(", ")}.`, "Leave it out for all kinds.");
  const ofProject = store.listedProject({ project, sessionId });
  return {
    ...filter,
    repository: worktrees === true ? (await store.gitOf(ofProject).read())?.commonDir : undefined,
    sessionId: optional(sessionId, (id) => parseSessionId(id)),
    project: ofProject,
    kinds: kind === undefined ? undefined : [kind],
    ...parsePeriod({ since, until }),
  };
}

async function find(store: Store, params: FindCheckpointsParams = {}): Promise<FindCheckpointsResult> {
  const { session, records, total, limit, offset } = await listCheckpoints(store.parts, await inputOf(store, params));
  return {
    checkpoints: records.map((record) => metadataOf(record, session?.pins)),
    total,
    limit,
    offset,
    ...(session === undefined ? {} : { session: sessionMetadataOf(session) }),
    ...store.standing(),
  };
}

/** Pins an entry of a session, or releases it. */
export async function markCritical(store: Store, params: MarkCriticalParams): Promise<MarkCriticalResult> {
  const { contextKey: key, critical, agentId } = params;
  const sessionId = store.parts.sessions.forChange(params.sessionId);
  const { status, pins } = await store.using(async () => {
    await store.refuseOtherProject(sessionId);
    return pinEntry({ ...store.loadPorts, clock: store.parts.clock }, { sessionId, key, critical, agentId });
  });
  const name = key.length <= LONGEST_KEY ? key : `${key.slice(0, LONGEST_KEY)}...`;
  const messages = {
    pinned: `"${name}" is critical in this session from now on.`,
    released: `"${name}" is no longer critical.`,
    "key-not-found": critical === false ? `"${name}" was not critical.` : `The latest checkpoint has no key "${name}". Save it first.`,
  };
  return {
    status: status === "key-not-found" ? "KEY_NOT_FOUND" : "SUCCESS",
    message: messages[status],
    sessionId,
    criticalKeys: [...pins],
    ...store.standing(),
  };
}
