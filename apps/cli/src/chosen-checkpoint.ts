import { WorkrailError } from "@workrail/core";
import type { LoadCheckpointParams } from "@workrail/runtime";

/** Which checkpoint a command is about: one by its id, however given, or a session's latest. */
export function chosenCheckpoint(
  id: string | undefined,
  options: { readonly checkpoint?: string; readonly session?: string },
): LoadCheckpointParams {
  const given = [id, options.checkpoint, options.session].filter((value) => value !== undefined);
  if (given.length === 1) return { checkpointId: id ?? options.checkpoint, sessionId: options.session };
  const message = given.length === 0 ? "Which checkpoint is meant?" : "More than one checkpoint is named.";
  throw new WorkrailError("INVALID_INPUT", message, {
    hint: "Give one checkpoint's id, or --session for the latest of a session; `workrail list` shows both.",
  });
}
