import type { AuditEvent, AuditPlace, LoggedEvent } from "../model/audit.ts";
import { CHAIN_START } from "./audit-chain.ts";

const THROUGH = /^through (\d{1,15}) ([0-9a-f]{32})$/u;

/** Tells that the rows up to a place were removed. The digest of the last of them is in it, so that what is left still hangs on it. */
export function cutEvent(through: AuditPlace, at: Date): AuditEvent {
  const reason = `through ${through.number} ${through.digest}`;
  return { at, action: "audit-cut", sessionId: undefined, checkpointId: undefined, agentId: undefined, reason };
}

/** What a log that was cut begins behind. `cut` is its last row of that kind; without one it begins at the start. */
export function beginningAfter(cut: Pick<LoggedEvent, "reason"> | undefined): AuditPlace {
  const [, number, digest] = THROUGH.exec(cut?.reason ?? "") ?? [];
  return number === undefined || digest === undefined ? CHAIN_START : { number: Number(number), digest };
}
