import { encodeBlob } from "../envelope/encode-blob.ts";
import { isWorkrailError } from "../errors.ts";
import { utf8Parts } from "../json/text-parts.ts";
import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { CheckpointId } from "../model/ids.ts";
import type { Edge, Erasure } from "../ports/catalog.ts";
import { readBlob, readContext, type ReadPorts } from "./read-context.ts";

/** How often a checkpoint that others change meanwhile is looked at. */
const MAX_LOOKS = 5;

/** What became of a checkpoint that may be stored against one that is to be erased. */
type Detached = "done" | "unreadable" | "changing";

/**
 * Has what may be stored against a checkpoint that is to be erased be stored whole, so that its blob can go, and drops the edges. Each
 * is proven as it is read, against its digest. One that cannot be read, now or ever, keeps nothing from going.
 *
 * @returns those that cannot be read.
 * @throws UNSUPPORTED_VERSION, TOO_LARGE and KEY_UNAVAILABLE for what only others can read: then its edge stays; STORAGE_UNAVAILABLE.
 */
export async function detachDependents(ports: ReadPorts, { checkpointId, edges }: Erasure): Promise<readonly CheckpointId[]> {
  // It, and what was removed and is itself stored against it.
  const gone = new Set([checkpointId, ...edges.map(({ base }) => base)]);
  const unreadable: CheckpointId[] = [];
  const drop: Edge[] = [];
  for (const edge of edges) {
    const detached = await detach(ports, edge.dependent, gone);
    if (detached === "unreadable") unreadable.push(edge.dependent);
    if (detached !== "changing") drop.push(edge);
  }
  if (drop.length > 0) await ports.catalog.commit({ edges: { add: [], drop }, audit: [] });
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
      // Somebody may just have stored it otherwise: then its record is another one.
      failed = record;
    }
  }
  return "changing";
}

/** Both the record and the file say so: whoever replaced the file may have died before the record followed. */
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
  return ports.catalog.replaceBlob(record, becomes, () => ports.blobs.replace(record.blob, bytes));
}

async function liveOrTrashed({ catalog }: ReadPorts, checkpointId: CheckpointId): Promise<CheckpointRecord | undefined> {
  return (await catalog.find(checkpointId)) ?? (await catalog.trash({ checkpointId, limit: 1 })).entries[0]?.record;
}

function isSameForm(one: CheckpointRecord, other: CheckpointRecord): boolean {
  return one.blob === other.blob && one.blobBytes === other.blobBytes && one.baseId === other.baseId;
}
