import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { Clock, Log } from "../ports/environment.ts";
import { damagedBytesOf, readContext, type ReadPorts } from "./read-context.ts";

export interface QuarantinePorts extends ReadPorts {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Marks a checkpoint whose own bytes proved wrong, and puts them aside. Looks at record and bytes once more while nobody
 * can change either, so that one which was re-encoded, restored or removed meanwhile is left alone.
 *
 * @returns whether it marked it; `false`: look again.
 */
export async function quarantineDamaged(ports: QuarantinePorts, damaged: CheckpointRecord, reason: string): Promise<boolean> {
  const { id: checkpointId, sessionId, blob } = damaged;
  let movedTo: string | undefined;
  const audit = { at: ports.clock.now(), action: "quarantine", sessionId, checkpointId, agentId: undefined } as const;
  const isMarked = await ports.catalog.markDamaged(damaged, audit, async () => {
    if (!(await isStillDamaged(ports, damaged))) return false;
    movedTo = await ports.blobs.quarantine(blob);
    return true;
  });
  if (isMarked)
    ports.log.error("a checkpoint is damaged", { checkpointId, sessionId, blobPath: blob, reason, movedTo: movedTo ?? "nowhere" });
  return isMarked;
}

async function isStillDamaged(ports: ReadPorts, record: CheckpointRecord): Promise<boolean> {
  try {
    await readContext(ports, record);
    return false;
  } catch (error) {
    const culprit = damagedBytesOf(error);
    if (culprit !== undefined) return culprit.id === record.id;
    throw error;
  }
}
