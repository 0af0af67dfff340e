import { isWorkrailError, WorkrailError } from "../../errors.ts";
import { prepareContext } from "../../json/saved-content.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { Context } from "../../model/context.ts";
import { type CheckpointId, type Digest, type SessionId, uuidOf } from "../../model/ids.ts";
import type { Digester } from "../../ports/environment.ts";
import { type Handle, HANDLE_MS, issueHandle } from "./issue-handle.ts";
import { saveCheckpoint } from "./save-checkpoint.ts";
import type { SavePorts, SaveResult } from "./save-input.ts";
import { findHead } from "../../catalog/queries/query-checkpoints.ts";

export interface AsideInput {
  readonly sessionId: SessionId;
  readonly context: Context;
  readonly agentId?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly project?: string | undefined;
}

export interface SavedAside extends Handle, Pick<SaveResult, "secrets"> {
  /** Checkpoint with the context: an aside, or the session's head when it has the same content. */
  readonly record: CheckpointRecord;
}

/** Attempts with different ids: an id in the trash cannot be reused. */
const MAX_ATTEMPTS = 8;

/**
 * Saves a context that was shortened without being saved, and issues a handle for it. The same content in a session is one aside.
 * An aside is no part of the session's history: it is never the head, and only listed on request.
 *
 * @throws STORAGE_QUOTA_EXCEEDED when there is no room for the aside; the errors of `saveCheckpoint`, including SECRET_FOUND.
 */
export async function saveAside(ports: SavePorts, input: AsideInput): Promise<SavedAside> {
  const { exactDigest } = prepareContext(input.context, ports.limits, ports.digests);
  const head = await ports.locking.shared(() => findHead(ports.catalog, input.sessionId));
  if (head !== undefined && head.exactDigest === exactDigest) {
    const handle = await issueHandle(ports, { checkpointId: head.id });
    if (handle !== undefined) return { record: head, ...handle };
  }
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const saved = await save(ports, input, asideId(ports.digests, { sessionId: input.sessionId, exactDigest }, attempt));
    if (saved !== undefined) return saved;
  }
  throw new WorkrailError("CONFLICT", "The context was removed after each attempt to store it.", {
    details: { sessionId: input.sessionId },
    hint: "Empty the session's trash with `workrail trash empty --session`, then try again.",
  });
}

/** `undefined` when the id cannot be used: its checkpoint is in the trash, or was removed just now. */
async function save(ports: SavePorts, input: AsideInput, checkpointId: CheckpointId): Promise<SavedAside | undefined> {
  const validUntil = new Date(ports.clock.now().getTime() + HANDLE_MS);
  try {
    const { status, record, secrets } = await saveCheckpoint(ports, { ...input, kind: "aside", checkpointId, shieldUntil: validUntil });
    const found = secrets === undefined ? {} : { secrets };
    if (status === "saved") return { record, validUntil, ...found };
    const handle = await issueHandle(ports, { checkpointId });
    return handle === undefined ? undefined : { record, ...handle, ...found };
  } catch (error) {
    if (isWorkrailError(error) && error.code === "CONFLICT") return undefined;
    throw error;
  }
}

/** Derives the id from session and content, so that equal content is stored once. */
function asideId(
  digests: Digester,
  { sessionId, exactDigest }: { readonly sessionId: SessionId; readonly exactDigest: Digest },
  attempt: number,
): CheckpointId {
  return uuidOf(digests.sha256(JSON.stringify(["aside", sessionId, exactDigest, attempt]))) as CheckpointId;
}
