import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import type { CatalogReader } from "../catalog-port.ts";
import type { CheckpointRow } from "../rows.ts";
import { headOf } from "../rules/head-of.ts";

/** Returns a live checkpoint; `undefined` when there is none with this id. */
export async function findCheckpoint(catalog: CatalogReader, id: CheckpointId): Promise<CheckpointRecord | undefined> {
  const { row } = await catalog.read({ row: { of: "checkpoint", id } });
  return liveIn(row);
}

/** Returns the record of a row unless its checkpoint is in the trash. */
export function liveIn(row: CheckpointRow | undefined): CheckpointRecord | undefined {
  return row?.trashedAt === undefined ? row?.record : undefined;
}

/** Returns the head of a session: the checkpoint with the highest sequence. Asides and damaged checkpoints are never the head. */
export async function findHead(catalog: CatalogReader, sessionId: SessionId): Promise<CheckpointRecord | undefined> {
  const { head } = await catalog.read({ head: headOf(sessionId) });
  return head[0]?.record;
}
