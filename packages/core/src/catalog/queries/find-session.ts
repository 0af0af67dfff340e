import type { SessionId } from "../../model/ids.ts";
import type { Session } from "../../model/session.ts";
import type { CatalogReader } from "../catalog-port.ts";
import { sessionOf } from "./query-sessions.ts";

/** Returns a session; `undefined` when nothing was ever saved to it. */
export async function findSession(catalog: CatalogReader, id: SessionId): Promise<Session | undefined> {
  const { row, damagedCount } = await catalog.read({
    row: { of: "session", id },
    damagedCount: { of: "count", where: { state: "live", sessionId: id, damaged: true } },
  });
  return row && sessionOf({ ...row, damagedCount });
}
