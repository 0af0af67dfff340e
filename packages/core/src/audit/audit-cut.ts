import type { AuditEvent, AuditPlace, LoggedEvent } from "../model/audit.ts";
import { CHAIN_START } from "./audit-chain.ts";

const THROUGH = /^through (\d{1,15}) ([0-9a-f]{32})$/u;

/**
 * Returns the event that records the removal of the rows up to a place. It holds the digest of the last removed row, so that the
 * remaining rows can still be verified.
 */
export function cutEvent(through: AuditPlace, at: Date): AuditEvent {
  const reason = `through ${through.number} ${through.digest}`;
  return { at, action: "audit-cut", sessionId: undefined, checkpointId: undefined, agentId: undefined, reason };
}

/** Returns the place after which a cut log begins. `cut` is the last `audit-cut` row; without one the log begins at the start. */
export function beginningAfter(cut: Pick<LoggedEvent, "reason"> | undefined): AuditPlace {
  const [, number, digest] = THROUGH.exec(cut?.reason ?? "") ?? [];
  return number === undefined || digest === undefined ? CHAIN_START : { number: Number(number), digest };
}
