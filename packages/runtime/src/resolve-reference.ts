import { type CheckpointRecord, invalidInput, parseSessionId, resolveCheckpoint } from "@workrail/core";
import { optional } from "./check-params.ts";
import type { Store } from "./store.ts";
import type { ResolveCheckpointParams } from "./workrail.ts";

/** Finds the checkpoint that a reference means, as `Workrail.resolveCheckpoint` documents. */
export async function resolveReference(store: Store, reference: string, params: ResolveCheckpointParams = {}): Promise<CheckpointRecord> {
  if (typeof reference !== "string") {
    throw invalidInput("checkpointId", "checkpointId must be a text.", "Send a checkpoint's id, its first characters, or `latest`.");
  }
  return resolveCheckpoint(store.parts, {
    reference,
    sessionId: optional(params.sessionId, (id) => parseSessionId(id)),
    inTrash: params.inTrash,
    scope: () => ({ project: store.listedProject(params), only: store.scopeOf(params).only }),
  });
}
