import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { Clock, Log } from "../../ports/environment.ts";
import { damagedBytesOf, readContext, type ReadPorts } from "../load/read-context.ts";
import { markDamaged } from "../../catalog/rules/change-form.ts";

export interface QuarantinePorts extends ReadPorts {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Marks a checkpoint whose bytes are wrong, and quarantines them. Checks record and bytes again while nobody can change either,
 * so that a checkpoint that was re-encoded, restored or removed meanwhile is left alone.
 *
 * @returns true when it was marked; false: check again.
 */
export async function quarantineDamaged(ports: QuarantinePorts, damaged: CheckpointRecord, reason: string): Promise<boolean> {
  const { id: checkpointId, sessionId, blob } = damaged;
  let movedTo: string | undefined;
  const audit = { at: ports.clock.now(), action: "quarantine", sessionId, checkpointId, agentId: undefined } as const;
  const isMarked = await ports.catalog.change(
    markDamaged(damaged, audit, async () => {
      if (!(await isStillDamaged(ports, damaged))) return false;
      movedTo = await ports.blobs.quarantine(blob);
      return true;
    }),
  );
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
