import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { SessionId } from "../../model/ids.ts";
import type { Session } from "../../model/session.ts";
import type { CatalogReader } from "../catalog-port.ts";
import type { Reads } from "../reads.ts";
import { headOf } from "../rules/head-of.ts";
import { sessionOf } from "./query-sessions.ts";

/** Returns a session and its head, as of one moment. */
export async function findSessionAndHead(
  catalog: CatalogReader,
  id: SessionId,
): Promise<{ readonly session: Session | undefined; readonly head: CheckpointRecord | undefined }> {
  const { row, damagedCount, head } = await catalog.read({ ...sessionReads(id), head: headOf(id) });
  return { session: row && sessionOf({ ...row, damagedCount }), head: head[0]?.record };
}

/** Returns a session; `undefined` when nothing was ever saved to it. */
export async function findSession(catalog: CatalogReader, id: SessionId): Promise<Session | undefined> {
  const { row, damagedCount } = await catalog.read(sessionReads(id));
  return row && sessionOf({ ...row, damagedCount });
}

function sessionReads(id: SessionId) {
  return {
    row: { of: "session", id },
    damagedCount: { of: "count", where: { state: "live", sessionId: id, damaged: true } },
  } as const satisfies Reads;
}
