import { isWorkrailError, WorkrailError } from "../errors.ts";
import { prepareContext } from "../json/prepare-context.ts";
import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { Context } from "../model/context.ts";
import { type CheckpointId, type Digest, type SessionId, uuidOf } from "../model/ids.ts";
import type { Digester } from "../ports/environment.ts";
import { type Handle, HANDLE_MS, issueHandle } from "./issue-handle.ts";
import { saveCheckpoint, type SavePorts, type SaveResult } from "./save-checkpoint.ts";

export interface AsideInput {
  readonly sessionId: SessionId;
  readonly context: Context;
  readonly agentId?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly project?: string | undefined;
}

export interface SavedAside extends Handle, Pick<SaveResult, "secrets"> {
  /** What holds the context: an aside, or the session's head where that does. */
  readonly record: CheckpointRecord;
}

/** Ids that asides in the trash keep; each time somebody put the same content there makes one. */
const MAX_ATTEMPTS = 8;

/**
 * Keeps a context that was shortened without having been saved, and gives out a handle for it. The same content twice in a
 * session is one aside. It is no part of the session's history: never the head, not listed unless asked for.
 *
 * @throws STORAGE_QUOTA_EXCEEDED where there is no room for it: then there can be no handle either. Whatever saving throws,
 *   SECRET_FOUND among it.
 */
export async function saveAside(ports: SavePorts, input: AsideInput): Promise<SavedAside> {
  const { exactDigest } = prepareContext(input.context, ports.limits, ports.digests);
  const head = await ports.locking.shared(() => ports.catalog.head(input.sessionId));
  if (head !== undefined && head.exactDigest === exactDigest) {
    const handle = await issueHandle(ports, { checkpointId: head.id });
    if (handle !== undefined) return { record: head, ...handle };
  }
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const saved = await save(ports, input, asideId(ports.digests, input.sessionId, exactDigest, attempt));
    if (saved !== undefined) return saved;
  }
  throw new WorkrailError("CONFLICT", "The context was removed each time it was kept.", {
    details: { sessionId: input.sessionId },
    hint: "Empty the session's trash with `workrail trash empty --session`, then try again.",
  });
}

/** `undefined` where the id cannot be used: what was saved under it is in the trash, or went in this moment. */
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

/** The same for the same content in a session, so that it is kept once. */
function asideId(digests: Digester, sessionId: SessionId, exactDigest: Digest, attempt: number): CheckpointId {
  return uuidOf(digests.sha256(JSON.stringify(["aside", sessionId, exactDigest, attempt]))) as CheckpointId;
}
