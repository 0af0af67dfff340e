import { randomUUID } from "node:crypto";
import type { Append, BlobStore, ChainedStorage, CheckpointId, CommitOutcome, Digest, NewRecord, SessionId } from "@workrail/core";
import { append, commit } from "@workrail/core";

/**
 * Puts a blob and appends its record, as a save does. Resolves to the outcome and the id.
 *
 * @param isTogether puts the blob as a part of the change. Default: before it.
 */
export async function saveRecord(
  { blobs, catalog }: Pick<ChainedStorage, "catalog"> & { readonly blobs: Pick<BlobStore, "put" | "refOf"> },
  sessionId: SessionId,
  {
    keepNewest,
    seen,
    id = randomUUID() as CheckpointId,
    bytes = BYTES,
    isTogether = false,
    expectedHead,
  }: Pick<Partial<Append>, "keepNewest" | "seen" | "expectedHead"> & {
    readonly id?: CheckpointId;
    readonly bytes?: Uint8Array;
    readonly isTogether?: boolean;
  } = {},
): Promise<{ readonly id: CheckpointId; readonly outcome: CommitOutcome }> {
  const createdAt = new Date();
  const put = async (): Promise<boolean> => (await blobs.put({ sessionId, checkpointId: id }, bytes, { ifAbsent: true })) !== undefined;
  if (!isTogether) await put();
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
  const terms = { record, unlessHeadIs: undefined, expectedHead, keepNewest, seen, audit };
  return { id, outcome: await catalog.change(isTogether ? append({ ...terms, put }) : commit({ append: terms, audit: [] })) };
}

const BYTES = new Uint8Array(100);

/** Returns blobs whose `put` waits for other work first, as one that seals them does. */
export function puttingAfter(work: () => Promise<unknown>, blobs: BlobStore): Pick<BlobStore, "put" | "refOf"> {
  return {
    refOf: (key) => blobs.refOf(key),
    async put(key, bytes, options) {
      await work();
      return blobs.put(key, bytes, options);
    },
  };
}
