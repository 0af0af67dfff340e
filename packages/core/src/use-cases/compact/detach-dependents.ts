import { encodeBlob } from "../../envelope/envelope.ts";
import { isWorkrailError } from "../../errors.ts";
import { utf8Parts } from "../../json/utf8.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { CheckpointId } from "../../model/ids.ts";
import type { Edge } from "../../catalog/rows.ts";
import type { Erasure } from "../../catalog/queries/list-erasures.ts";
import { readBlob, readContext, type ReadPorts } from "../load/read-context.ts";
import { changeForm } from "../../catalog/rules/change-form.ts";
import { commit } from "../../catalog/rules/commit.ts";

/** Attempts for a checkpoint that other processes change. */
const MAX_LOOKS = 5;

/** Outcome for a dependent of a checkpoint to erase. */
type Detached = "done" | "unreadable" | "changing";

/**
 * Stores the dependents of a checkpoint to erase as whole blobs, so that its blob can go, and drops the edges. Each dependent is
 * verified against its digest. An unreadable dependent does not stop the erasure.
 *
 * @returns the unreadable dependents.
 * @throws UNSUPPORTED_VERSION, TOO_LARGE and KEY_UNAVAILABLE for a dependent that only other processes can read: its edge stays;
 * STORAGE_UNAVAILABLE.
 */
export async function detachDependents(ports: ReadPorts, { checkpointId, edges }: Erasure): Promise<readonly CheckpointId[]> {
  // The checkpoint, and removed deltas based on it.
  const gone = new Set([checkpointId, ...edges.map(({ base }) => base)]);
  const unreadable: CheckpointId[] = [];
  const drop: Edge[] = [];
  for (const edge of edges) {
    const detached = await detach(ports, edge.dependent, gone);
    if (detached === "unreadable") unreadable.push(edge.dependent);
    if (detached !== "changing") drop.push(edge);
  }
  if (drop.length > 0) await ports.catalog.change(commit({ edges: { add: [], drop }, audit: [] }));
  return unreadable;
}

async function detach(ports: ReadPorts, id: CheckpointId, gone: ReadonlySet<CheckpointId>): Promise<Detached> {
  let failed: CheckpointRecord | undefined;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const record = await liveOrTrashed(ports, id);
    if (record === undefined) return "done";
    if (record.damaged || (failed !== undefined && isSameForm(failed, record))) return "unreadable";
    try {
      if (await isDetached(ports, record, gone)) return "done";
      if (await storeWhole(ports, record)) return "done";
    } catch (error) {
      if (!isWorkrailError(error) || error.code !== "CHECKPOINT_CORRUPT") throw error;
      // Another process may have re-encoded it: then its record has changed.
      failed = record;
    }
  }
  return "changing";
}

/**
 * True when both record and file are independent of the erased checkpoints. A process may die between replacing the file and the
 * record.
 */
async function isDetached(ports: ReadPorts, record: CheckpointRecord, gone: ReadonlySet<CheckpointId>): Promise<boolean> {
  if (record.baseId !== null && gone.has(record.baseId)) return false;
  const blob = await readBlob(ports, record);
  return blob.kind === "whole" || !gone.has(blob.base);
}

async function storeWhole(ports: ReadPorts, record: CheckpointRecord): Promise<boolean> {
  const read = await readContext(ports, record);
  const parts = (): Iterable<Uint8Array> => utf8Parts([read.contextText()]);
  const bytes = await encodeBlob(ports, record, { sizeBytes: record.contextBytes, parts });
  const becomes = { blobBytes: bytes.length, baseId: null, keyId: record.keyId };
  return ports.catalog.change(changeForm(record, becomes, () => ports.blobs.replace(record.blob, bytes)));
}

async function liveOrTrashed({ catalog }: ReadPorts, id: CheckpointId): Promise<CheckpointRecord | undefined> {
  return (await catalog.read({ row: { of: "checkpoint", id } })).row?.record;
}

function isSameForm(one: CheckpointRecord, other: CheckpointRecord): boolean {
  return one.blob === other.blob && one.blobBytes === other.blobBytes && one.baseId === other.baseId;
}
