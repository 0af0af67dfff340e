import {
  type BlobRef,
  type BlobStore,
  type CatalogPort,
  type CheckpointFacts,
  type CheckpointId,
  type CheckpointRecord,
  type Clock,
  type Codec,
  type CommitOutcome,
  decodeBlob,
  type Digester,
  encodeEnvelope,
  isWorkrailError,
  type Limits,
  type Locking,
  MAX_ENVELOPE_BYTES,
  type PreparedContext,
  WorkrailError,
  changeForm,
  reclaimBlobs,
  commit,
  type Rule,
  isSameBytes,
} from "@workrail/core";
import type { ExportedSession } from "./export-format/export-fields.ts";

export interface WriteImportedPorts {
  readonly catalog: CatalogPort;
  readonly blobs: BlobStore;
  readonly codec: Codec;
  readonly locking: Locking;
  readonly digests: Digester;
  readonly clock: Clock;
  readonly limits: Limits;
}

export interface ImportedCheckpoint {
  readonly facts: CheckpointFacts;
  readonly content: PreparedContext;
  /** Expected head of the session. */
  readonly expectedHead: CheckpointId | null;
  /** Facts of the session, in case this checkpoint creates it. */
  readonly session: ExportedSession;
}

/** Same limit as for a save: losing the blob to garbage collection twice is already improbable. */
const MAX_ATTEMPTS = 3;

/** Writes a checkpoint with given facts: first its blob, then its record, as a save does. */
export async function writeImported(ports: WriteImportedPorts, imported: ImportedCheckpoint): Promise<void> {
  const envelope = encodeEnvelope(imported.facts, imported.content.bytes, ports.digests);
  const bytes = await ports.codec.encode(envelope);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const stored = await putBlob(ports, imported.facts, { envelope, bytes });
    const outcome = await ports.catalog.change(append(ports, imported, stored));
    if (outcome.status === "blob-missing") continue;
    if (outcome.status === "committed") return putBackIfReplaced(ports, outcome.record, bytes);
    await reclaimBlobs(ports.catalog, [stored.blob], (ref) => ports.blobs.remove(ref));
    throw meanwhile(imported.facts);
  }
  throw new WorkrailError("STORAGE_UNAVAILABLE", "The checkpoint's file disappeared after each write.", {
    details: { checkpointId: imported.facts.id, reason: "blob-missing" },
    hint: "Check whether another program removes files from the data directory, then import again.",
  });
}

interface StoredBlob {
  readonly blob: BlobRef;
  readonly blobBytes: number;
}

function append({ clock }: WriteImportedPorts, imported: ImportedCheckpoint, stored: StoredBlob): Rule<CommitOutcome> {
  const { facts, expectedHead, session } = imported;
  const { createdAt, tags, pins } = session;
  const now = clock.now();
  const record = { ...facts, ...stored, baseId: null, keyId: null };
  return commit({
    append: { record, unlessHeadIs: undefined, expectedHead, keepNewest: undefined, session: { createdAt, tags, pins } },
    // Without an access, an old checkpoint would look unused.
    accesses: [{ checkpointId: facts.id, at: now }],
    audit: [{ at: now, action: "import", sessionId: facts.sessionId, checkpointId: facts.id, agentId: facts.agentId }],
  });
}

/** Writes the blob. An existing blob is either the same one from an interrupted import, or garbage, which is removed. */
async function putBlob(
  ports: WriteImportedPorts,
  facts: CheckpointFacts,
  { envelope, bytes }: { readonly envelope: Uint8Array; readonly bytes: Uint8Array },
): Promise<StoredBlob> {
  const key = { sessionId: facts.sessionId, checkpointId: facts.id };
  const ref = ports.blobs.refOf(key);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const blob = await ports.blobs.put(key, bytes, { ifAbsent: true });
    if (blob !== undefined) return { blob, blobBytes: bytes.length };
    const present = await ports.blobs.get(ref);
    if (present !== undefined && (await holds(ports, present, envelope))) return { blob: ref, blobBytes: present.length };
    await reclaimBlobs(ports.catalog, [ref], (garbage) => ports.blobs.remove(garbage));
  }
  throw meanwhile(facts);
}

async function holds(ports: WriteImportedPorts, present: Uint8Array, envelope: Uint8Array): Promise<boolean> {
  try {
    const decoded = await ports.codec.decode(present, ports.limits.maxContextBytes + MAX_ENVELOPE_BYTES);
    return isSameBytes(decoded, envelope);
  } catch (error) {
    if (isWorkrailError(error) && (error.code === "CHECKPOINT_CORRUPT" || error.code === "TOO_LARGE")) return false;
    throw error;
  }
}

/** Restores the blob if another save with the same id took it for garbage just before the commit. */
async function putBackIfReplaced(ports: WriteImportedPorts, record: CheckpointRecord | undefined, bytes: Uint8Array): Promise<void> {
  if (record === undefined) return;
  const present = await ports.blobs.get(record.blob);
  if (present !== undefined && (isSameBytes(present, bytes) || (await digestOf(ports, present)) === record.exactDigest)) return;
  const becomes = { blobBytes: bytes.length, baseId: null, keyId: null };
  await ports.catalog.change(changeForm(record, becomes, () => ports.blobs.replace(record.blob, bytes)));
}

async function digestOf(ports: WriteImportedPorts, blob: Uint8Array): Promise<string | undefined> {
  try {
    return (await decodeBlob(ports, blob)).facts.exactDigest;
  } catch (error) {
    if (isWorkrailError(error) && error.code === "CHECKPOINT_CORRUPT") return undefined;
    throw error;
  }
}

function meanwhile({ id, sessionId }: CheckpointFacts): WorkrailError {
  return new WorkrailError("CONFLICT", "Another program wrote to the session during the import, or uses one of its ids.", {
    details: { checkpointId: id, sessionId },
    hint: "Import again: the checkpoints imported so far are complete, and the import continues after them.",
  });
}
