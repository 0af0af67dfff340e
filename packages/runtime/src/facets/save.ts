import { parseContextRules } from "@workrail/classifier/rules";
import {
  type CheckpointId,
  type GivenState,
  hasAtMost,
  keepingSession,
  invalidInput,
  isWorkrailError,
  type Limits,
  noBase,
  ownerOf,
  parseCheckpointId,
  parseGivenState,
  pruneToTrash,
  saveCheckpoint,
  type SavePorts,
  type SaveResult,
  findCheckpoint,
} from "@workrail/core";
import type { SaveCheckpointParams, SaveCheckpointResult } from "../context-management-service.ts";
import { admitted } from "../admitted.ts";
import { keepIfThere } from "../keep-if-there.ts";
import { splitLabels, type SplitLabels } from "../metadata.ts";
import { optional } from "../check-params.ts";
import { parseProject } from "../parse-project.ts";
import type { RulesFound } from "../project-rules.ts";
import { secretsFields } from "../secrets/secrets-fields.ts";
import { isWork, nameSession, type ResolvedSession } from "../session-resolver.ts";
import type { Store } from "../store.ts";
import { droppedFields, patchFields, warningOf } from "../change-fields.ts";

/** Same limit as in context rules. */
const MAX_PHASE_LENGTH = 200;

/** State and labels of a save, checked and copied: the caller may change its objects before the save. */
export interface GivenSave {
  readonly state: GivenState;
  readonly labels: SplitLabels;
}

/** Checks and copies the data of a call to save. @throws INVALID_INPUT, TOO_LARGE */
export function givenSave(params: SaveCheckpointParams, limits: Limits): GivenSave {
  return { state: parseGivenState(params, limits), labels: splitLabels(params.metadata) };
}

/**
 * Saves a state. The save may have to wait, and be repeated after a lost catalog or for lack of room. State and labels are copied now,
 * unless the caller did so.
 */
export async function save(
  store: Store,
  given: SaveCheckpointParams,
  { state, labels }: GivenSave = givenSave(given, store.parts.settings.limits),
): Promise<SaveCheckpointResult> {
  const { parts, standIn } = store;
  const { sessions, settings } = parts;
  // A save to the whole store is not kept waiting here: saves keep the order of their calls.
  const params = store.caller === undefined ? given : await admitted(store, store.caller, given);
  const phase = optional(params.phase, parsePhase);
  const project = optional(params.project, parseProject) ?? store.project;
  const ownRules = optional(params.contextRules, parseContextRules);
  let found: RulesFound = {};
  // Captured at the call; the result is ready by the time it is needed.
  const git = store.surroundings();
  const binds = isWork(params.kind);
  if (params.retention !== undefined) checkRetention(params.retention);
  const ports = params.secrets === undefined ? store.savePorts : withoutSecrets(store.savePorts, params.secrets);
  // Synchronous unless the session must be looked up, because saves keep the order of their calls.
  const { sessionId, reason } = sessionFor(store, params, state) ?? (await sessionOfParent(store, params, project));
  // A repeated patch must not be applied twice: its checkpoint id identifies it.
  let tried: CheckpointId | undefined;
  const keepsAll = params.retention === "all" || labels.attributes["retention"] === "all";
  const keeps = keepsAll && standIn === undefined;
  const once = (force = params.force): Promise<SaveResult> =>
    saveCheckpoint(keeps ? keepingSession(ports, sessionId) : ports, {
      sessionId,
      context: state.context,
      patch: state.patch,
      refuseEmpty: true,
      reportsDropped: params.reportsDropped,
      name: labels.name,
      tags: labels.tags,
      attributes: {
        ...labels.attributes,
        ...(phase === undefined ? {} : { phase }),
        // With a stand-in, the session is tagged once the disk has the checkpoint.
        ...(keepsAll && !keeps ? { retention: "all" } : {}),
      },
      surroundings: () => git,
      kind: params.kind,
      agentId: params.agentId ?? labels.agentId,
      workflowId: params.workflowId,
      project,
      nameSession,
      ownProjectOnly: binds && store.whole === undefined && settings.isolation === "strict",
      parentId: params.parentId === null ? null : optional(params.parentId, (id) => parseCheckpointId(id, "parentId")),
      trustParent: standIn?.isBlind,
      expectedParentId: optional(params.expectedParentId, (id) => (id === null ? null : parseCheckpointId(id, "expectedParentId"))),
      checkpointId: optional(params.checkpointId, (id) => parseCheckpointId(id)) ?? tried ?? store.ownId,
      rules: async () => {
        found = await store.rules.for(ownRules);
        return found.rules;
      },
      force,
    }).catch((error: unknown) => {
      if (state.patch !== undefined) tried = triedId(error) ?? tried;
      throw error;
    });
  // Saves the end of a phase even if nothing else changed.
  const saveEnd = async (): Promise<SaveResult> => {
    const result = await once();
    const isNoted = result.status === "saved" || result.record.attributes["phase"] === phase;
    return isNoted ? result : once(true);
  };
  const result = await store
    .using(() => store.withRoom(phase === undefined ? once : saveEnd))
    .catch((error: unknown) => {
      if (binds) sessions.notSaved(sessionId, params.workflowId);
      throw error;
    });
  if (binds) sessions.saved(sessionId, params.workflowId);
  if (keeps && result.status === "unchanged") await store.using(() => keepIfThere(parts, sessionId));
  const { record, status } = result;
  const pruned = result.status === "saved" ? result.removed.filter((each) => ownerOf(each) === undefined).length : 0;
  const prunesToTrash = status === "saved" && standIn === undefined && settings.prunesToTrash;
  const keepNewest = settings.limits.maxCheckpoints;
  const trashed = prunesToTrash ? await store.using(() => pruneToTrash(parts, { sessionId, keepNewest })) : [];
  if (status === "saved" && standIn === undefined) {
    store.requestUpkeep([sessionId]);
    store.diskRoom.watch();
  }
  const warning = status === "saved" && standIn === undefined ? store.housekeeper.saved(result.bytes.store) : undefined;
  // The warning contains the bytes of the whole store.
  const quotaWarning = store.caller === undefined ? warning : undefined;
  const { patched, dropped, secrets } = result;
  const warnings = [dropped && warningOf(dropped), binds ? await store.otherProject(record, project) : undefined].filter(
    (each) => each !== undefined,
  );
  return {
    checkpointId: record.id,
    sessionId,
    sessionReason: reason,
    // The answer to the same call was lost when its id is there already.
    status: status === "saved" || record.id === store.ownId ? "SAVED" : "SKIPPED_UNCHANGED",
    sizeBytes: record.blobBytes,
    parentId: record.parentId,
    createdAt: record.createdAt.toISOString(),
    contextHash: record.canonicalDigest,
    blobPath: record.blob,
    ...store.standing(record.id),
    ...(patched === undefined ? {} : { patched: patchFields(patched) }),
    ...(dropped === undefined ? {} : droppedFields({ keys: dropped.keys, count: dropped.keys.length })),
    ...(state.parsed.length > 0 ? { parsedFromText: [...state.parsed] } : {}),
    ...(result.status === "unchanged" && result.ignored.length > 0 ? { ignored: [...result.ignored] } : {}),
    ...(labels.ignored.length > 0 ? { ignoredMetadata: labels.ignored } : {}),
    ...(pruned > 0 ? { pruned } : {}),
    ...(trashed.length > 0 ? { prunedToTrash: trashed.length } : {}),
    ...(secrets === undefined ? {} : { secrets: secretsFields(secrets) }),
    ...(quotaWarning === undefined ? {} : { quotaWarning }),
    ...(found.warning === undefined ? {} : { contextRulesWarning: found.warning }),
    ...(warnings.length === 0 ? {} : { warning: warnings.join(" ") }),
  };
}

function sessionFor(store: Store, { sessionId, workflowId, kind }: SaveCheckpointParams, state: GivenState): ResolvedSession | undefined {
  const { sessions } = store.parts;
  if (!isWork(kind)) return sessions.besideWork(sessionId);
  const { context } = state;
  return context === undefined ? sessions.forPatch(sessionId, workflowId) : sessions.forSave(sessionId, workflowId, context);
}

/**
 * Returns the session of the checkpoint that a patch names as its base.
 *
 * @throws SESSION_NOT_FOUND listing the existing sessions, when there is none.
 */
async function sessionOfParent(store: Store, params: SaveCheckpointParams, project: string | undefined): Promise<ResolvedSession> {
  const { sessions, catalog } = store.parts;
  const named = params.parentId ?? params.expectedParentId ?? undefined;
  const parent = named === undefined ? undefined : await store.using(() => findCheckpoint(catalog, parseCheckpointId(named, "parentId")));
  const found = parent === undefined ? undefined : sessions.forPatch(parent.sessionId, params.workflowId);
  if (found !== undefined) return found;
  throw await store.using(() => noBase(catalog, { project }));
}

/** Returns the id of a checkpoint whose file may exist already. */
function triedId(failure: unknown): CheckpointId | undefined {
  const id = isWorkrailError(failure) && failure.retryable ? failure.details["checkpointId"] : undefined;
  return typeof id === "string" ? parseCheckpointId(id) : undefined;
}

function checkRetention(retention: unknown): void {
  if (retention === "all") return;
  throw invalidInput("retention", 'retention must be "all".', "Leave it out to use the limits in the settings; `keepSession` undoes it.");
}

/** Returns the ports of a call that opts out of the search for secrets. */
export function withoutSecrets(ports: SavePorts, secrets: unknown): SavePorts {
  if (secrets === "off") return { ...ports, secrets: undefined };
  throw invalidInput("secrets", 'secrets must be "off".', "Leave it out to use the setting secrets.");
}

function parsePhase(name: unknown): string {
  if (typeof name === "string" && name !== "" && hasAtMost(MAX_PHASE_LENGTH, name)) return name;
  throw invalidInput("phase", `phase must be a text of 1 to ${MAX_PHASE_LENGTH} characters.`, "Shorten it, or leave it out.");
}
