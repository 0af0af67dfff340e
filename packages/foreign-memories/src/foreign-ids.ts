import { createHash } from "node:crypto";
import { type CheckpointId, type Digest, parseCheckpointId, parseSessionId, type SessionId, uuidOf } from "@workrail/core";
import type { ForeignMemory } from "./foreign-memory.ts";

/** The id of a session, derived from the names. Foreign data cannot choose an id, so an import cannot add to other sessions. */
export function foreignSessionId(source: ForeignMemory, ...names: readonly string[]): SessionId {
  return parseSessionId(uuid(source, "session", ...names));
}

/** The id of a checkpoint, derived from the names; one of the names is the content. */
export function foreignCheckpointId(source: ForeignMemory, ...names: readonly string[]): CheckpointId {
  return parseCheckpointId(uuid(source, "checkpoint", ...names));
}

function uuid(...names: readonly string[]): string {
  return uuidOf(createHash("sha256").update(JSON.stringify(names)).digest("hex") as Digest);
}
