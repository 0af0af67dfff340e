import {
  type CatalogPort,
  type CheckpointFacts,
  type CheckpointId,
  type CheckpointRecord,
  type IdGenerator,
  type SessionId,
  WorkrailError,
  type ImportConflictPolicy,
  findHead,
  findSession,
  findCheckpoint,
} from "@workrail/core";

export interface ImportPlan {
  /** Session that receives the checkpoints. */
  readonly sessionId: SessionId;
  /** Current head of that session; `null` when it has none. */
  readonly head: CheckpointId | null;
  /** One entry per checkpoint of the export, in its order. */
  readonly entries: readonly ImportEntry[];
}

export interface ImportEntry {
  readonly action: "add" | "present" | "leave-out";
  readonly exportedId: CheckpointId;
  /** Facts as they will be stored. */
  readonly facts: CheckpointFacts;
}

export interface PlanPorts {
  readonly catalog: CatalogPort;
  readonly ids: IdGenerator;
}

/**
 * Plans the import of each checkpoint of an export, and changes nothing.
 *
 * @throws CONFLICT when an id belongs to other data here.
 */
export async function planImport(
  ports: PlanPorts,
  { sessionId, checkpoints }: { readonly sessionId: SessionId; readonly checkpoints: readonly CheckpointFacts[] },
  policy: ImportConflictPolicy,
): Promise<ImportPlan> {
  const known = new Map<CheckpointId, CheckpointRecord>();
  for (const { id } of checkpoints) {
    const record = await findCheckpoint(ports.catalog, id);
    if (record !== undefined) known.set(id, record);
  }
  const isThere = known.size > 0 || (await findSession(ports.catalog, sessionId)) !== undefined;
  if (policy === "rename" && isThere) return planRenamed(ports, checkpoints);
  for (const facts of checkpoints) refuseOther(facts, known.get(facts.id));
  const head = await findHead(ports.catalog, sessionId);
  const begin = firstToAdd(checkpoints, { known, head }, policy);
  const entries = checkpoints.map((facts, index): ImportEntry => {
    const action = known.has(facts.id) ? "present" : index >= begin ? "add" : "leave-out";
    return { action, exportedId: facts.id, facts };
  });
  return { sessionId, head: head?.id ?? null, entries };
}

/** Plans an import under new ids. Parents outside of the export stay: lineage may lead to other sessions, or to pruned checkpoints. */
function planRenamed({ ids }: PlanPorts, checkpoints: readonly CheckpointFacts[]): ImportPlan {
  const sessionId = ids.sessionId();
  const renamed = new Map(checkpoints.map(({ id }) => [id, ids.checkpointId()]));
  const entries = checkpoints.map((facts): ImportEntry => {
    const { id, parentId } = facts;
    const newParent = parentId === null ? null : (renamed.get(parentId) ?? parentId);
    return { action: "add", exportedId: id, facts: { ...facts, id: renamed.get(id) ?? id, sessionId, parentId: newParent } };
  });
  return { sessionId, head: null, entries };
}

function refuseOther(facts: CheckpointFacts, record: CheckpointRecord | undefined): void {
  if (record === undefined || (record.sessionId === facts.sessionId && record.exactDigest === facts.exactDigest)) return;
  throw new WorkrailError(
    "CONFLICT",
    `Checkpoint ${facts.id} of the export differs from the one with this id in the store, so nothing was imported.`,
    {
      details: { checkpointId: facts.id, sessionId: record.sessionId },
      hint: "Import it as another session, with the policy rename.",
    },
  );
}

/**
 * Returns the index in the export from which checkpoints are added. They can only be appended to the session, so an earlier
 * missing one, for example one pruned here, would become the latest and is left out.
 */
function firstToAdd(
  checkpoints: readonly CheckpointFacts[],
  { known, head }: { readonly known: ReadonlyMap<CheckpointId, CheckpointRecord>; readonly head: CheckpointRecord | undefined },
  policy: ImportConflictPolicy,
): number {
  if (head === undefined) return 0;
  const headIndex = checkpoints.findIndex(({ id }) => id === head.id);
  if (headIndex >= 0) return headIndex + 1;
  const latest = checkpoints.findLast(({ kind }) => kind !== "aside");
  const isNewer = latest !== undefined && latest.createdAt > head.createdAt;
  if (policy !== "newer" || !isNewer) return checkpoints.length;
  return checkpoints.findLastIndex(({ id }) => known.has(id)) + 1;
}
