import { isWorkrailError } from "../errors.ts";
import { prepareContext } from "../json/prepare-context.ts";
import type { CheckpointRecord } from "../model/checkpoint.ts";
import { type CheckpointId, uuidOf } from "../model/ids.ts";
import { saveCheckpoint, type SaveInput, type SavePorts } from "./save-checkpoint.ts";

export type OriginalInput = Pick<SaveInput, "sessionId" | "context" | "agentId" | "project">;

/**
 * Makes sure that a context which is about to be shortened can be had back exactly: gives the session's head if that
 * holds these very bytes, else saves an aside. The same context of the same session is the same aside each time.
 *
 * @throws what `saveCheckpoint` throws but CONFLICT.
 */
export async function keepOriginal(ports: SavePorts, input: OriginalInput): Promise<CheckpointRecord> {
  const { exactDigest } = prepareContext(input.context, ports.limits, ports.digests);
  const head = await ports.locking.shared(() => ports.catalog.head(input.sessionId));
  if (head?.exactDigest === exactDigest) return head;
  const checkpointId = uuidOf(ports.digests.sha256(`aside\n${input.sessionId}\n${exactDigest}`)) as CheckpointId;
  try {
    return (await saveCheckpoint(ports, { ...input, kind: "aside", checkpointId })).record;
  } catch (error) {
    // It is in the trash under this id, say: another one serves as well.
    if (!isWorkrailError(error) || error.code !== "CONFLICT") throw error;
    return (await saveCheckpoint(ports, { ...input, kind: "aside" })).record;
  }
}
