import { type Clock, KEEP_TAG, keepSession, type ListPorts, type SessionId, findSession } from "@workrail/core";

/** Tags a session `keep`, so that nothing of it is removed automatically. Does nothing for a session that does not exist. */
export async function keepIfThere(ports: ListPorts & { readonly clock: Clock }, sessionId: SessionId): Promise<void> {
  const session = await ports.locking.shared(() => findSession(ports.catalog, sessionId));
  if (session !== undefined && !session.tags.includes(KEEP_TAG)) await keepSession(ports, { sessionId });
}
