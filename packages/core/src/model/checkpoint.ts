import type { JsonObject } from "./context.ts";
import type { BlobRef, CheckpointId, Digest, KeyId, SessionId } from "./ids.ts";
import type { LayerSummary } from "./classification.ts";

/** Tool families that make checkpoints. Listings and limits treat the kinds differently. */
export const CHECKPOINT_KINDS = ["workflow", "project", "conversation", "aside"] as const;
export type CheckpointKind = (typeof CHECKPOINT_KINDS)[number];

/** Immutable facts of a checkpoint. The envelope of its blob carries all of them. */
export interface CheckpointFacts {
  readonly id: CheckpointId;
  readonly sessionId: SessionId;
  /** Checkpoint that this one continues; `null` for a first one. Describes lineage, never encoding. */
  readonly parentId: CheckpointId | null;
  readonly kind: CheckpointKind;
  readonly createdAt: Date;
  readonly agentId: string | undefined;
  readonly workflowId: string | undefined;
  /** Absolute path of the project's root. */
  readonly project: string | undefined;
  readonly name: string | undefined;
  readonly tags: readonly string[];
  /** The caller's own key-values: all metadata that is not the product's. */
  readonly attributes: JsonObject;
  /** Digest of the context's JSON text as given, including key order. Proves integrity. */
  readonly exactDigest: Digest;
  /** Digest of the canonical JSON (RFC 8785): the same for every key order. */
  readonly canonicalDigest: Digest;
  /** Size of the context's JSON text in bytes of UTF-8. */
  readonly contextBytes: number;
  /** Number of entries per layer, when the writer classified them. */
  readonly layers: LayerSummary | undefined;
  /** Product and version that made the checkpoint, such as `workrail/0.1.0`. */
  readonly writer: string;
}

/** Catalog row of a checkpoint: its facts, and where and how its bytes are stored. */
export interface CheckpointRecord extends CheckpointFacts {
  /** Place in its session, from 1, assigned at commit. The highest is the head; clocks play no part. */
  readonly sequence: number;
  readonly blob: BlobRef;
  /** Size of the blob as stored, in bytes. */
  readonly blobBytes: number;
  /** Base of the delta that this checkpoint is stored as; `null` when it is stored whole. */
  readonly baseId: CheckpointId | null;
  /** Always `null`: reserved for the key of a sealed blob. */
  readonly keyId: KeyId | null;
  /** Time of the last load, or of the save. */
  readonly lastAccessedAt: Date;
  /** True when the bytes are wrong or missing. Remaining bytes are in quarantine. A damaged checkpoint is never the head. */
  readonly damaged: boolean;
  /** Automatic removal spares the checkpoint until this time, when its last handle expires. `undefined` when no handle was issued. */
  readonly shieldedUntil: Date | undefined;
}

/** Record before the catalog assigned its sequence. */
export type NewRecord = Omit<CheckpointRecord, "sequence" | "lastAccessedAt" | "damaged" | "shieldedUntil">;

/** Where an answer's data is safe: on disk, or in the memory of this process. */
export type Durability = "disk" | "memory";
