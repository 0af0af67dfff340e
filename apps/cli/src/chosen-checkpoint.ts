import { WorkrailError } from "@workrail/core";
import type { LoadCheckpointParams, Workrail } from "@workrail/runtime";

/** Finds the checkpoint of a command once the store is open. */
export type ChosenCheckpoint = (store: Workrail) => Promise<LoadCheckpointParams>;

interface Named {
  /** Equivalent to an id given as argument. */
  readonly checkpoint?: string | undefined;
  readonly session?: string | undefined;
}

/**
 * Returns how to find a checkpoint: by an id, its first characters, or `latest~2`. With a session alone: its latest. With both, the
 * checkpoint must be in the session.
 *
 * @throws INVALID_INPUT, before the store is opened, unless exactly one checkpoint is named.
 */
export function chosenCheckpoint(id: string | undefined, { checkpoint, session }: Named): ChosenCheckpoint {
  if (id !== undefined && checkpoint !== undefined) throw wrongChoice("More than one checkpoint is named.");
  const reference = id ?? checkpoint;
  if (reference === undefined && session === undefined) throw wrongChoice("No checkpoint is named.");
  return async (store) =>
    reference === undefined ? { sessionId: session } : { checkpointId: await checkpointIdOf(store, reference, session) };
}

/** Resolves a reference to a checkpoint id. */
export async function checkpointIdOf(store: Workrail, reference: string, session?: string): Promise<string> {
  return (await store.resolveCheckpoint(reference, { sessionId: session })).checkpointId;
}

function wrongChoice(message: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", message, {
    hint: "Give one checkpoint's id, or --session for the latest of a session; `workrail list` shows both.",
  });
}
