import { randomUUID } from "node:crypto";
import type { Append, ChainedStorage, CheckpointId, CommitOutcome, Digest, NewRecord, SessionId } from "@workrail/core";
import { commit } from "@workrail/core";

/** Puts a blob and appends its record, as a save does. Resolves to the outcome and the id. */
export async function saveRecord(
  { blobs, catalog }: Pick<ChainedStorage, "blobs" | "catalog">,
  sessionId: SessionId,
  {
    keepNewest,
    seen,
    id = randomUUID() as CheckpointId,
    bytes = BYTES,
  }: Pick<Partial<Append>, "keepNewest" | "seen"> & { readonly id?: CheckpointId; readonly bytes?: Uint8Array } = {},
): Promise<{ readonly id: CheckpointId; readonly outcome: CommitOutcome }> {
  const createdAt = new Date();
  await blobs.put({ sessionId, checkpointId: id }, bytes);
  const record: NewRecord = {
    id,
    sessionId,
    createdAt,
    parentId: null,
    kind: "workflow",
    writer: "test",
    baseId: null,
    keyId: null,
    agentId: undefined,
    workflowId: undefined,
    project: "/project",
    name: "a name",
    layers: undefined,
    tags: ["tag"],
    attributes: { phase: "testing" },
    contextBytes: bytes.length,
    blobBytes: bytes.length,
    exactDigest: `digest of ${id}` as Digest,
    canonicalDigest: `digest of ${id}` as Digest,
    blob: blobs.refOf({ sessionId, checkpointId: id }),
  };
  const audit = [{ at: createdAt, action: "save", sessionId, checkpointId: id, agentId: undefined }] as const;
  const append = { record, unlessHeadIs: undefined, expectedHead: undefined, keepNewest, seen, audit };
  return { id, outcome: await catalog.change(commit({ append, audit: [] })) };
}

const BYTES = new Uint8Array(100);
