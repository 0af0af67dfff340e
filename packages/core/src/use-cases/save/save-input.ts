import type { ClassifyPorts } from "../../classify/classify-context.ts";
import type { CompiledRules } from "../../model/context-rules.ts";
import type { SavedContent } from "../../json/saved-content.ts";
import type { RecentJson } from "../../json/recent-json.ts";
import type { DroppedEntries, RecentKeys } from "./dropped-entries.ts";
import type { RecentHeads, SessionWithHead } from "./recent-heads.ts";
import type { CheckpointKind, CheckpointRecord } from "../../model/checkpoint.ts";
import type { Context, JsonObject } from "../../model/context.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import type { LayerSummary } from "../../model/classification.ts";
import type { Limits } from "../../model/limits.ts";
import type { Background, Clock, Digester, IdGenerator } from "../../ports/environment.ts";
import type { BlobStore } from "../../ports/blob-store.ts";
import type { QuotaUsage } from "../../catalog/rules/append.ts";
import type { Codec } from "../../ports/codec.ts";
import type { Locking } from "../../ports/locking.ts";
import type { Patch, PatchChanges } from "../../patch/patch.ts";
import type { Base } from "./find-base.ts";
import type { ScreenSecrets, SecretsReport } from "./screen-secrets.ts";
import type { SessionRow } from "../../catalog/rows.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";

export interface SavePorts extends ClassifyPorts {
  readonly catalog: CatalogPort;
  readonly blobs: BlobStore;
  readonly codec: Codec;
  readonly locking: Locking;
  readonly digests: Digester;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly background: Background;
  readonly limits: Limits;
  /** Product and version, stored in each envelope. */
  readonly writer: string;
  /** Keys of contexts that were saved before. Default: a save reads its parent to report the entries that it lacks. */
  readonly recentKeys?: RecentKeys | undefined;
  /** JSON of contexts that were saved before. Default: each context is written anew. */
  readonly recentJson?: RecentJson | undefined;
  /** Heads that were saved before. Default: each save reads its session first. */
  readonly recentHeads?: RecentHeads | undefined;
  /** Handling of secrets in saved data. Default: no search for secrets. */
  readonly secrets?: ScreenSecrets | undefined;
  /**
   * Called after a failed write of this many bytes, within the session's turn. Makes room if that is the problem, and returns
   * whether to write again. Default: no second attempt.
   */
  readonly relieve?: ((failure: unknown, blobBytes: number) => Promise<boolean>) | undefined;
}

export interface SaveInput {
  readonly sessionId: SessionId;
  /** The whole state. Exactly one of `context` and `patch` must be given. */
  readonly context?: Context | undefined;
  /** Changes since `parentId`; default: since the session's head. A patch never starts a session. */
  readonly patch?: Patch | undefined;
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly attributes?: JsonObject | undefined;
  /** Attributes of the product, the same on every call; omitted when the caller's attributes leave no room. Never rejects. */
  readonly surroundings?: (() => Promise<JsonObject>) | undefined;
  /** Default `workflow`. The other kinds are never skipped as unchanged, and not counted; asides have a limit of their own. */
  readonly kind?: CheckpointKind | undefined;
  readonly agentId?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly project?: string | undefined;
  /**
   * Returns the goal that a context states; a session with a generated id is named by it. Absent: sessions get no names. Not called for
   * other ids, nor for very large contexts, in which the search takes too long.
   */
  readonly nameSession?: ((context: Context) => string | undefined | Promise<string | undefined>) | undefined;
  /** Refuse to save to a session that belongs to another project. Default `false`. */
  readonly ownProjectOnly?: boolean | undefined;
  /** Checkpoint that this one continues, in any session; default: the session's head. */
  readonly parentId?: CheckpointId | null | undefined;
  /** Accept `parentId` unchecked: it may be elsewhere, or removed. Default `false`: it must exist. */
  readonly trustParent?: boolean | undefined;
  /** Save only if this is still the head; `null`: only if the session is new. */
  readonly expectedParentId?: CheckpointId | null | undefined;
  /** The caller's own id: saving the same bytes under it again is answered as unchanged. */
  readonly checkpointId?: CheckpointId | undefined;
  /** Time for the audit log, of a checkpoint that another store had first. Default: the time of its creation. */
  readonly auditAt?: Date | undefined;
  /** Classification rules of the workflow. Called once, in the session's turn. Its errors make the save fail. */
  readonly rules?: (() => Promise<CompiledRules | undefined>) | undefined;
  /** Earlier classification of the entries. Default: they are classified now. */
  readonly layers?: LayerSummary | undefined;
  /** Refuse a context without entries when the parent has some, unless `force` is given. Default `false`. */
  readonly refuseEmpty?: boolean | undefined;
  /** Save even when the head has the same content. Default `false`. */
  readonly force?: boolean | undefined;
  /** Checkpoint of the session whose side records the context holds. The kind is then `aside`, beyond the limit of asides. */
  readonly recordOf?: CheckpointId | undefined;
  /** Fails unless the checkpoint of `recordOf` is live. Default `false`: it may be saved later. */
  readonly mustHaveOwner?: boolean | undefined;
  /** Reads the parent, and reports the entries that this state lacks. Default `true`. */
  readonly reportsDropped?: boolean | undefined;
  /** Shields the new checkpoint until this time, from the beginning. Does not apply to an existing checkpoint. Default: no shield. */
  readonly shieldUntil?: Date | undefined;
}

export type SaveResult = SaveOutcome & {
  /** Possible secrets in the given data; absent when there are none. */
  readonly secrets?: SecretsReport;
  /** Entries of the parent that this state lacks; absent when it has all of them. */
  readonly dropped?: DroppedEntries | undefined;
  /** Effect of a patch; `base` is the checkpoint that it was applied to. */
  readonly patched?: PatchChanges & { readonly base: CheckpointId };
};

/** Input with a whole state. */
export interface WholeInput extends SaveInput {
  readonly context: Context;
  /** The context, or its redacted form, as it is written. */
  readonly content: SavedContent;
  readonly patch?: undefined;
  /** Context with secrets removed, if they are to be; texts derived from the context use this. */
  readonly redacted?: Context | undefined;
  /** Base of the patch that made the context. */
  readonly base?: Base | undefined;
  /** The session before this save. */
  readonly seen?: SessionRow | undefined;
  /** Cached session and head, when this save did not read them. */
  readonly recent?: SessionWithHead | undefined;
  /** Generates the id unless the caller has given one. Every draft of a save has the same id. */
  readonly newId: () => CheckpointId;
  /** Head that the patch was applied to. If another process moved the head, the save fails and can be repeated. */
  readonly follows?: CheckpointId | undefined;
}

export type SaveOutcome =
  | {
      readonly status: "saved";
      readonly record: CheckpointRecord;
      /** Checkpoints removed because of the session's limit of checkpoints or asides. */
      readonly removed: readonly CheckpointRecord[];
      /** Bytes that session and store hold now. */
      readonly bytes: QuotaUsage;
    }
  | {
      readonly status: "unchanged";
      /** Existing checkpoint with this content. */
      readonly record: CheckpointRecord;
      /** Given data that the existing checkpoint lacks, and that was therefore not saved. */
      readonly ignored: readonly IgnoredOnSkip[];
    };

/** Fields that are not saved when the content already exists. */
export type IgnoredOnSkip = "checkpointId" | "parentId" | "workflowId" | "agentId" | "name" | "tags" | "metadata" | "keyOrder";
