import type { JsonObject } from "./context.ts";
import type { BlobRef, CheckpointId, Digest, KeyId, SessionId } from "./ids.ts";
import type { LayerSummary } from "./layer.ts";

/** Which tool family made a checkpoint; the kinds are told apart in listings and by the limits. */
export const CHECKPOINT_KINDS = ["workflow", "project", "conversation", "aside"] as const;
export type CheckpointKind = (typeof CHECKPOINT_KINDS)[number];

/** What is true of a checkpoint for ever. The envelope of its blob carries all of it. */
export interface CheckpointFacts {
  readonly id: CheckpointId;
  readonly sessionId: SessionId;
  /** The checkpoint this one continues, `null` for a first one. Lineage, never encoding. */
  readonly parentId: CheckpointId | null;
  readonly kind: CheckpointKind;
  readonly createdAt: Date;
  readonly agentId: string | undefined;
  readonly workflowId: string | undefined;
  /** Absolute path of the project's root. */
  readonly project: string | undefined;
  readonly name: string | undefined;
  readonly tags: readonly string[];
  /** The caller's own key-values: whatever metadata came that is not ours. */
  readonly attributes: JsonObject;
  /** Of the context's JSON text as it was given, key order included: proves integrity. */
  readonly exactDigest: Digest;
  /** Of the canonical JSON (RFC 8785): equal when only the key order differs. */
  readonly canonicalDigest: Digest;
  /** Size of the context's JSON text in bytes of UTF-8. */
  readonly contextBytes: number;
  /** How the context's entries were classified, when the writer classified them. */
  readonly layers: LayerSummary | undefined;
  /** Product and version that made the checkpoint, such as `workrail/0.1.0`. */
  readonly writer: string;
}

/** What the catalog knows of a checkpoint: its facts, and where and how its bytes are kept now. */
export interface CheckpointRecord extends CheckpointFacts {
  /** Place in its session, from 1, given at commit. The highest is the head; no clock is asked. */
  readonly sequence: number;
  readonly blob: BlobRef;
  /** Size of the blob as stored, in bytes. */
  readonly blobBytes: number;
  /** The checkpoint whose bytes this one's are a delta against; `null` when it is stored whole. */
  readonly baseId: CheckpointId | null;
  /** The key it is sealed with; `null` when it is stored in clear. */
  readonly keyId: KeyId | null;
  /** Last load, or the save itself. */
  readonly lastAccessedAt: Date;
  /** Its bytes proved wrong or gone, and what there was of them is in quarantine. It is never the head. */
  readonly damaged: boolean;
  /** Until then nothing removes it of its own accord: a handle that was given out says so. `undefined`: none ever was. */
  readonly shieldedUntil: Date | undefined;
}

/** A record before the catalog gave it its place. */
export type NewRecord = Omit<CheckpointRecord, "sequence" | "lastAccessedAt" | "damaged" | "shieldedUntil">;

/** Where an answer's data is safe: on disk, or in the memory of this process. */
export type Durability = "disk" | "memory";
