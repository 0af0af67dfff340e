import type { CheckpointId, SessionId } from "../../model/ids.ts";
import { recordTag } from "../../model/side-record.ts";
import { ALL, type Select } from "../reads.ts";

/** Selects the asides that hold side records of some checkpoints of a session. */
export function sideRecordsOf(sessionId: SessionId, state: "live" | "trash", owners: readonly CheckpointId[]): Select {
  return { of: "checkpoints", where: { state, sessionId, kinds: ["aside"], ownTags: owners.map(recordTag) }, order: "any", limit: ALL };
}
