import { WorkrailError } from "@workrail/core";
import type { LoadCheckpointParams, Workrail } from "@workrail/runtime";

/** Finds the checkpoint that a command is about, once the store is open. */
export type ChosenCheckpoint = (store: Workrail) => Promise<LoadCheckpointParams>;

interface Named {
  /** The same as an id that stands behind the command. */
  readonly checkpoint?: string | undefined;
  readonly session?: string | undefined;
}

/**
 * A checkpoint by an id, the first characters of one, or `latest~2`; of a session alone its latest. Both together look for the checkpoint
 * in the session.
 *
 * @throws INVALID_INPUT, before there is a store, unless it is one checkpoint.
 */
export function chosenCheckpoint(id: string | undefined, { checkpoint, session }: Named): ChosenCheckpoint {
  if (id !== undefined && checkpoint !== undefined) throw wrongChoice("More than one checkpoint is named.");
  const reference = id ?? checkpoint;
  if (reference === undefined && session === undefined) throw wrongChoice("Which checkpoint is meant?");
  return async (store) =>
    reference === undefined ? { sessionId: session } : { checkpointId: await checkpointIdOf(store, reference, session) };
}

/** The id of the checkpoint that somebody names. */
export async function checkpointIdOf(store: Workrail, reference: string, session?: string): Promise<string> {
  return (await store.resolveCheckpoint(reference, { sessionId: session })).checkpointId;
}

function wrongChoice(message: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", message, {
    hint: "Give one checkpoint's id, or --session for the latest of a session; `workrail list` shows both.",
  });
}
