import type { Workrail } from "@workrail/runtime";

interface Named {
  readonly context?: unknown;
  readonly checkpointId?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** Resolves an abbreviated checkpoint id, or a reference such as `latest~2` in the session if one is given. */
export async function withNamedCheckpoint<T extends Named>(workrail: Workrail, request: T): Promise<T> {
  const { context, checkpointId: reference, sessionId } = request;
  // Contradictory arguments are refused later, with the reason.
  const isAlone = context === undefined && (sessionId === undefined || reference?.startsWith("latest") === true);
  if (reference === undefined || !isAlone) return request;
  const { checkpointId } = await workrail.resolveCheckpoint(reference, { sessionId });
  return { ...request, checkpointId, sessionId: undefined };
}
