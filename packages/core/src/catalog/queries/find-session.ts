import type { SessionId } from "../../model/ids.ts";
import type { Session } from "../../model/session.ts";
import type { CatalogPort } from "../catalog-port.ts";
import { sessionOf } from "./list-sessions.ts";

/** Returns a session; `undefined` when nothing was ever saved to it. */
export async function findSession(catalog: CatalogPort, id: SessionId): Promise<Session | undefined> {
  const { row, damagedCount } = await catalog.read({
    row: { of: "session", id },
    damagedCount: { of: "count", where: { state: "live", sessionId: id, damaged: true } },
  });
  return row && sessionOf({ ...row, damagedCount });
}
