import type { SessionId } from "../../model/ids.ts";
import type { Select } from "../reads.ts";

/** Selects the head of a session: the checkpoint with the highest sequence. Asides and damaged checkpoints are never the head. */
export function headOf(sessionId: SessionId): Select {
  return { of: "checkpoints", where: { state: "live", sessionId, notKinds: ["aside"], damaged: false }, order: "newest", limit: 1 };
}
