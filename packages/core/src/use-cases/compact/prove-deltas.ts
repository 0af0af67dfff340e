import { applyDelta } from "../../delta/apply-delta.ts";
import { decodeBlob } from "../../envelope/envelope.ts";
import type { EnvelopeFacts } from "../../envelope/envelope-json.ts";
import { type ErrorCode, WorkrailError } from "../../errors.ts";
import { canonicalJson } from "../../json/write-json.ts";
import { parseContext } from "../../json/parse-bytes.ts";
import type { NewRecord } from "../../model/checkpoint.ts";
import type { JsonValue } from "../../model/context.ts";
import type { BlobRef, CheckpointId, Digest } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import type { BlobStore } from "../../ports/blob-store.ts";
import type { Codec } from "../../ports/codec.ts";
import type { Digester } from "../../ports/environment.ts";
import { getBlob } from "../load/get-blob.ts";

/** Record of a blob, as far as the blob alone provides it. */
export type FoundRecord = Omit<NewRecord, "canonicalDigest"> & Pick<EnvelopeFacts, "canonicalDigest">;

export interface ProofPorts {
  readonly blobs: BlobStore;
  readonly codec: Codec;
  readonly digests: Digester;
  readonly limits: Pick<Limits, "maxContextBytes">;
}

export interface Unreadable {
  readonly ref: BlobRef;
  readonly code: ErrorCode;
}

/** True for errors of an unreadable blob, which is reported and skipped; other errors reject. */
export type IsPassedOver = (error: unknown) => error is WorkrailError;

type OnProven = (progress: { readonly done: number; readonly total: number }) => void;

/**
 * Completes the records of deltas by building each context once, starting from the whole ones: a chain of a thousand is read
 * once, not a thousand times from its end. Reports what cannot be built, and everything based on it.
 *
 * @param onProven called after each blob.
 */
export async function proveDeltas(
  ports: ProofPorts,
  found: readonly FoundRecord[],
  { isPassedOver, onProven }: { readonly isPassedOver: IsPassedOver; readonly onProven: OnProven },
): Promise<{ records: NewRecord[]; unreadable: Unreadable[] }> {
  const dependents = new Map<CheckpointId, FoundRecord[]>();
  for (const record of found) {
    if (record.baseId !== null) dependents.set(record.baseId, [...(dependents.get(record.baseId) ?? []), record]);
  }
  const canonical = new Map<BlobRef, Digest>();
  const failed = new Map<BlobRef, ErrorCode>();
  const roots = found.filter(({ id, baseId }) => baseId === null && dependents.has(id));
  const total = roots.length + found.filter(({ baseId }) => baseId !== null).length;
  for (const root of roots) {
    const onEach = (): void => onProven({ done: canonical.size + failed.size, total });
    await follow(ports, root, { dependents, canonical, failed, isPassedOver, onEach });
  }
  const records: NewRecord[] = [];
  const unreadable: Unreadable[] = [];
  for (const record of found) {
    const canonicalDigest = record.canonicalDigest ?? canonical.get(record.blob);
    if (canonicalDigest !== undefined && !failed.has(record.blob)) records.push({ ...record, canonicalDigest });
    else unreadable.push({ ref: record.blob, code: failed.get(record.blob) ?? "CHECKPOINT_CORRUPT" });
  }
  return { records, unreadable };
}

interface Proof {
  /** Deltas by the id of their base. */
  readonly dependents: ReadonlyMap<CheckpointId, readonly FoundRecord[]>;
  /** Digests of the contexts built so far. */
  readonly canonical: Map<BlobRef, Digest>;
  readonly failed: Map<BlobRef, ErrorCode>;
  readonly isPassedOver: IsPassedOver;
  /** Called after each blob. */
  readonly onEach: () => void;
}

/** Builds a whole context and everything based on it. */
async function follow(ports: ProofPorts, root: FoundRecord, { dependents, canonical, failed, isPassedOver, onEach }: Proof): Promise<void> {
  const pending: { readonly record: FoundRecord; readonly base: JsonValue | undefined }[] = [{ record: root, base: undefined }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    try {
      const value = await make(ports, next.record, next.base);
      canonical.set(next.record.blob, ports.digests.sha256(canonicalJson(value)));
      // Only within the session: ids are unique in a store, but files may have been copied.
      const { id, sessionId } = next.record;
      for (const record of dependents.get(id) ?? []) if (record.sessionId === sessionId) pending.push({ record, base: value });
    } catch (error) {
      if (!isPassedOver(error)) throw error;
      failed.set(next.record.blob, error.code);
    }
    onEach();
  }
}

async function make(ports: ProofPorts, record: FoundRecord, base: JsonValue | undefined): Promise<JsonValue> {
  const bytes = await getBlob(ports.blobs, record.blob);
  if (bytes === undefined) throw new WorkrailError("CHECKPOINT_CORRUPT", "Its file is missing.");
  const blob = await decodeBlob(ports, bytes);
  if (blob.kind === "whole") return parseContext(blob.context);
  const value = applyDelta(base ?? null, blob.delta);
  if (ports.digests.sha256(JSON.stringify(value)) === record.exactDigest) return value;
  throw new WorkrailError("CHECKPOINT_CORRUPT", "The content of its delta does not match its digest.");
}
